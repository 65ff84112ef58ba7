// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    /// The numbers of requests and connections of a client, which several loops share. It changes them under a lock, and
    /// notifies observers outside the lock.
    final class ClientLedger: Sendable {
        private struct Counts {
            var phase = Phase.open
            /// One for each loop.
            var requests: [Int]
            var connections: [Int]
        }

        /// A draining client keeps no connection open without a request. A stopped one sends no request any more.
        enum Phase { case open, draining, stopped }

        /// Completes when a drain has ended.
        let stopped = Subject<Never, Never>()
        private let loops: [any LoopScheduler]
        private let counts: Lock<Counts>

        init(_ loops: [any LoopScheduler]) {
            self.loops = loops
            let zeros = [Int](repeating: 0, count: loops.count)
            counts = Lock(Counts(requests: zeros, connections: zeros))
        }

        /// The number of open connections.
        var connectionCount: Int { counts.withLock { $0.connections.reduce(0, +) } }

        /// Counts a request. Returns false if the client has begun to drain.
        func begin(_ number: Int) -> Bool {
            counts.withLock { counts in
                guard counts.phase == .open else { return false }
                counts.requests[number] += 1
                return true
            }
        }

        func end(_ number: Int) { change { counts in counts.requests[number] -= 1 } }
        func opened(_ number: Int) { change { counts in counts.connections[number] += 1 } }
        func closed(_ number: Int) { change { counts in counts.connections[number] -= 1 } }

        /// Refuses new requests.
        func beginDraining() {
            change { counts in
                if counts.phase == .open { counts.phase = .draining }
            }
        }

        private func change(_ change: (inout Counts) -> Void) {
            counts.withLock { counts in change(&counts) }
            stopIfDone()
        }

        /// Completes the drain if nothing is left. A disposed loop has closed its connections and reports nothing.
        private func stopIfDone() {
            let alive = loops.indices.filter { !loops[$0].isDisposed }
            let isDone = counts.withLock { counts in
                guard counts.phase == .draining,
                    alive.allSatisfy({ counts.requests[$0] == 0 && counts.connections[$0] == 0 })
                else { return false }
                counts.phase = .stopped
                return true
            }
            if isDone { stopped.complete() }
        }
    }
#endif
