// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The time limit of what the connection waits for.
    extension ClientConnection {
        /// What the time limit is for.
        enum Wait: Equatable {
            case nothing, pooled, head, body, rest, `continue`
        }

        /// Starts the limit of a new wait. Only the bytes of a body extend a limit.
        func updateWait() {
            let new = currentWait
            if new == wait { return }
            wait = new
            let limit: Duration? =
                switch new {
                case .nothing: nil
                case .pooled: timeouts.pooled
                case .head: timeouts.head
                case .body: timeouts.idle
                case .rest: Self.discardTime
                case .continue: timeouts.continue
                }
            setDeadline(after: limit)
        }

        private var currentWait: Wait {
            switch state.response {
            case .idle: return .pooled
            case .awaited:
                switch state.request {
                case .awaitingContinue: return .continue
                // The limit of the head begins after the request. Until then, the limit of a stalled write counts.
                case .complete, .closed: return output.isPaused ? .nothing : .head
                case .idle, .head, .body: return .nothing
                }
            case .body:
                switch body {
                case .discarded: return .rest
                case .read(let body) where body.acceptsValues: return .body
                case .none, .unread, .read: return .nothing
                }
            case .complete, .upgraded, .closed: return .nothing
            }
        }

        /// Replaces the deadline. It is never reached early.
        func setDeadline(after delay: Duration?) {
            guard let delay, !state.isClosed else {
                deadline = nil
                return
            }
            let new = loop.now + delay
            deadline = new
            if let armed, armed.instant <= new { return }
            arm(new)
        }

        private func arm(_ instant: LoopInstant) {
            armed?.timer.dispose()
            let own = UnsafeTransfer(Weak(self))
            let timer = loop.schedule(at: instant, options: TimerOptions(keepsLoopAlive: false)) {
                own.value.object?.timerFired()
            }
            armed = (instant, timer)
        }

        private func timerFired() {
            armed = nil
            guard let instant = deadline else { return }
            if loop.now < instant { return arm(instant) }
            deadline = nil
            deadlineReached()
        }

        private func deadlineReached() {
            let reached = wait
            wait = .nothing
            switch reached {
            case .nothing: break
            case .pooled: finish()
            case .rest: cancel(HTTPError(.closed, "the rest of a response of \(serverName) did not arrive"))
            case .continue: sendContent()
            case .head:
                let limit = timeouts.head ?? .zero
                fail(HTTPError(.timedOut, "the head of the response of \(serverName) did not arrive within \(limit)"))
            case .body:
                let limit = timeouts.idle ?? .zero
                fail(HTTPError(.timedOut, "no byte of the response of \(serverName) arrived for \(limit)"))
            }
        }
    }
#endif
