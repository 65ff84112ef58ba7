// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSupport

    /// A bounded, ordered queue of a connection's reports to the loop.
    ///
    /// Changes of the connection's state are never discarded: each connection reports only a few.
    final class Reports: Sendable {
        private struct State {
            var queue: [NATSLink.Report] = []
            var errorCount = 0
            var missed = 0
        }

        private static let mostErrors = 64

        private let state = Lock(State())

        /// Adds a report. Returns true if the loop must be notified.
        func add(_ report: NATSLink.Report) -> Bool {
            state.withLock { state in
                if case .error = report {
                    if state.errorCount == Self.mostErrors {
                        state.missed += 1
                        return false
                    }
                    state.errorCount += 1
                }
                state.queue.append(report)
                return state.queue.count == 1
            }
        }

        /// Takes all reports. Returns them and the number of discarded ones.
        func takeAll() -> (reports: [NATSLink.Report], missed: Int) {
            state.withLock { state in
                defer { state = State() }
                return (state.queue, state.missed)
            }
        }
    }
#endif
