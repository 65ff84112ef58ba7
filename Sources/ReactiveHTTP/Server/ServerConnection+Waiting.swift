// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSignals

    /// The time that a connection waits for its peer.
    extension ServerConnection {
        func checkPatience() {
            if leaveIfClientHasLeft() { return }
            let wait = currentWait
            guard patience.check(wait), let wait else { return }
            switch wait {
            case .request: finish()
            case .head:
                fail(HTTPError(.timedOut, "the head did not arrive within \(settings.limits.headTime)"))
            case .body:
                fail(HTTPError(.timedOut, "no byte of the body arrived for \(settings.limits.idleTime)"))
            }
        }

        /// What the connection waits for, or `nil` if it waits for this side.
        private var currentWait: PatienceClock.Wait? {
            if upgraded != nil || !output.acceptsValues { return nil }
            switch state.request {
            case .idle: return state.awaitsRequest ? .request(state.requests) : nil
            case .head: return .head(state.requests)
            case .body: return mayParse ? .body(receivedCount) : nil
            case .awaitingContinue, .complete, .closed: return nil
            }
        }

        /// Whether the connection has waited for a request for a whole interval of the checks.
        var hasWaitedLong: Bool { patience.hasLasted(.request(state.requests)) }
    }
#endif
