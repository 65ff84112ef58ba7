#if NATS
    import ReactiveSupport

    /// What a connection has reported and the loop has not looked at: in order, and bounded.
    ///
    /// That it is down, up or closed is never left out: there are a few of these for each connection made.
    final class Reports: Sendable {
        private struct State {
            var queue: [NATSLink.Report] = []
            var errorCount = 0
            var missed = 0
        }

        private static let mostErrors = 64

        private let state = Lock(State())

        /// Adds one; true if the loop has to be told that there is something.
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

        /// All that there is, and how many were left out.
        func takeAll() -> (reports: [NATSLink.Report], missed: Int) {
            state.withLock { state in
                defer { state = State() }
                return (state.queue, state.missed)
            }
        }
    }
#endif
