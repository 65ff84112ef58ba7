// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    /// The result of a `send(_:)` that may not have reached the loop yet. Only the loop accesses it.
    final class WebSocketTicket {
        private var result: Signal<Never, WebSocketError>?
        private var observers: [Emitter<Never, WebSocketError>] = []

        /// Stores the result. Called once.
        func settle(_ result: Signal<Never, WebSocketError>) {
            self.result = result
            for observer in observers.takeAll() { result.subscribe(observer) }
        }

        func observe(_ emitter: Emitter<Never, WebSocketError>, _ subscription: SignalSubscription) {
            if let result { result.subscribe(emitter, in: subscription) } else { observers.append(emitter) }
        }
    }
#endif
