#if NATS
    import ReactiveSupport

    /// How far the server has confirmed what was given to the connection, and who waits for that. It belongs to the client's loop.
    ///
    /// Places are counted from 1, over all connections. What had not been confirmed when a connection broke never will be.
    struct Confirmations {
        /// Who waits for one place.
        private struct Waiter {
            let place: Int
            let tell: @Sendable (NATSError?) -> Void
        }

        /// The last place given away.
        private(set) var given = 0
        /// Everything up to here is settled: confirmed, or in `lost`.
        private(set) var settled = 0
        /// Places that were under way when a connection broke, in their order.
        private var lost: [ClosedRange<Int>] = []
        private var waiters: [Waiter] = []

        var isBehind: Bool { settled < given }
        var hasWaiters: Bool { !waiters.isEmpty }

        mutating func give() -> Int {
            given += 1
            return given
        }

        /// The server has everything up to `place`; how many that are more than before, and whom to tell.
        mutating func confirm(upTo place: Int) -> (count: Int, tell: [() -> Void]) {
            let count = max(0, place - settled)
            settled += count
            return (count, takeSettled())
        }

        /// The connection has gone; how many are not known to have arrived, and whom to tell so.
        mutating func lose() -> (count: Int, tell: [() -> Void]) {
            let count = given - settled
            if count > 0 { lost.append(settled + 1...given) }
            settled = given
            return (count, takeSettled())
        }

        /// Calls `tell` when `place` is settled; true if it is so now: then it has to be called with what ``outcome(of:)`` says.
        mutating func wait(for place: Int, _ tell: @escaping @Sendable (NATSError?) -> Void) -> Bool {
            if place <= settled { return true }
            waiters.append(Waiter(place: place, tell: tell))
            return false
        }

        func outcome(of place: Int) -> NATSError? {
            guard lost.contains(where: { $0.contains(place) }) else { return nil }
            return NATSError(.unconfirmed, "the connection broke before the server had confirmed the message")
        }

        private mutating func takeSettled() -> [() -> Void] {
            let done = waiters.filter { $0.place <= settled }
            waiters.removeAll { $0.place <= settled }
            return done.map { waiter in
                let error = outcome(of: waiter.place)
                return { waiter.tell(error) }
            }
        }
    }
#endif
