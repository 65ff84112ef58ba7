// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSupport

    /// The server's confirmations of published messages, and the callbacks that wait for them. Only the client's loop
    /// accesses it.
    ///
    /// Positions are counted from 1, over all connections. Messages that were unconfirmed when a connection broke stay
    /// unconfirmed.
    struct Confirmations {
        /// The last assigned position.
        private(set) var given = 0
        /// The last settled position. Every position up to it is confirmed or in `lost`.
        private(set) var settled = 0
        /// Positions that were unconfirmed when a connection broke, in order.
        private var lost: [ClosedRange<Int>] = []
        /// The callbacks, each of which waits for one position.
        private var waiters: [(position: Int, completion: @Sendable (NATSError?) -> Void)] = []

        var isBehind: Bool { settled < given }
        var hasWaiters: Bool { !waiters.isEmpty }

        mutating func give() -> Int {
            given += 1
            return given
        }

        /// Confirms every position up to `position`. Returns the number of new confirmations and the callbacks to run.
        mutating func confirm(upTo position: Int) -> (count: Int, completions: [() -> Void]) {
            let count = max(0, position - settled)
            settled += count
            return (count, takeSettled())
        }

        /// Settles all unconfirmed positions as lost. Returns their number and the callbacks to run.
        mutating func lose() -> (count: Int, completions: [() -> Void]) {
            let count = given - settled
            if count > 0 { lost.append(settled + 1...given) }
            settled = given
            return (count, takeSettled())
        }

        /// Calls `completion` when `position` is settled. If it returns true, `position` is settled already, and the caller
        /// must call `completion` with ``outcome(of:)``.
        mutating func wait(for position: Int, _ completion: @escaping @Sendable (NATSError?) -> Void) -> Bool {
            if position <= settled { return true }
            waiters.append((position, completion))
            return false
        }

        func outcome(of position: Int) -> NATSError? {
            guard lost.contains(where: { $0.contains(position) }) else { return nil }
            return NATSError(.unconfirmed, "the connection broke before the server had confirmed the message")
        }

        private mutating func takeSettled() -> [() -> Void] {
            let done = waiters.filter { $0.position <= settled }
            waiters.removeAll { $0.position <= settled }
            return done.map { waiter in
                let error = outcome(of: waiter.position)
                return { waiter.completion(error) }
            }
        }
    }
#endif
