// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSignals
    import ReactiveSupport

    /// The connections to one origin on one loop, and the requests that wait for one.
    ///
    /// Its references to connections are weak. A connection retains the queue.
    final class OriginQueue {
        let origin: Origin
        /// The connections without a request. The last one was used last.
        var idle: [Weak<ClientConnection>] = []
        /// The number of open connections, idle or not.
        var openCount = 0
        /// The attempts to connect. Each is meant for one of the waiting requests, but none in particular.
        var attempts: [SignalSubscription] = []
        var waiting: [ClientCall] = []
        /// Whether the pool begins attempts for the waiting requests now.
        var isToppingUp = false

        init(_ origin: Origin) {
            self.origin = origin
        }

        var isEmpty: Bool { openCount == 0 && attempts.isEmpty && waiting.isEmpty }
        /// The number of requests for which there is not even an attempt.
        var unservedCount: Int { waiting.count - attempts.count }

        func popWaiting() -> ClientCall? { waiting.isEmpty ? nil : waiting.removeFirst() }

        func popIdle() -> ClientConnection? {
            while let last = idle.popLast() {
                if let connection = last.object { return connection }
            }
            return nil
        }

        /// Returns whether the connection was idle.
        func removeIdle(_ connection: ClientConnection) -> Bool {
            guard let index = idle.firstIndex(where: { $0.object === connection }) else { return false }
            idle.remove(at: index)
            return true
        }
    }
#endif
