// SPDX-License-Identifier: MIT
#if CAres
    import ReactiveCore
    import ReactiveSockets

    /// One look-up that a subscriber has started. All members are called on the resolver's loop.
    final class AresLookUp {
        let host: String
        /// The loop of the subscriber.
        let loop: any LoopScheduler
        /// The position in the order of all look-ups.
        var number = 0
        /// The question that it waits for, or nil.
        var question: AresQuestion?
        private var finish: ((Result<[SocketAddress], SocketError>) -> Void)?

        init(
            _ host: String,
            _ loop: any LoopScheduler,
            _ finish: @escaping (Result<[SocketAddress], SocketError>) -> Void
        ) {
            self.host = host
            self.loop = loop
            self.finish = finish
        }

        var hasEnded: Bool { finish == nil }

        func end(_ result: Result<[SocketAddress], SocketError>) {
            let finish = finish.take()
            finish?(result)
        }

        /// Ends without a notification.
        func drop() { _ = finish.take() }
    }
#endif
