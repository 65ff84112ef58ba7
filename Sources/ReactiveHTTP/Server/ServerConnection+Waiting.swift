// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Waiting for the peer: how long, and whether it is still there.
    extension ServerConnection {
        func checkPatience() {
            // The client may have ended its stream behind unread bytes, such as a pipelined request. They cannot be
            // answered, because the response to the pending request comes first.
            if holdsInput, awaitsClient, connection.hasPeerEnded { return leave() }
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

        // MARK: Draining

        // A request that is on its way when this side closes the connection is lost, and its client may not repeat it unless
        // it is idempotent (RFC 9112 section 9.3.1). So the connection announces its end with a response if it can.

        /// How long a request may be on its way when the drain begins. The connection is closed if none arrives.
        static let lastRequestTime = Duration.seconds(1)

        func drain() {
            isDraining = true
            if state.isBetweenRequests { awaitLastRequest() } else { endEndlessBody() }
        }

        /// Closes the connection if its peer has been silent for long. Otherwise a request may be on its way, so this
        /// method waits for it. The response to it has `Connection: close`.
        func awaitLastRequest() {
            if patience.hasLasted(.request(state.requests)), !hasRequest { return finish() }
            let own = UnsafeTransfer(self)
            let (time, options) = (Self.lastRequestTime, TimerOptions(keepsLoopAlive: false))
            // It repeats, because unread bytes may be bytes of TLS itself, after which no request follows.
            add(
                loop.schedule(at: loop.now + time, repeating: .fixedDelay(time), options: options) {
                    if own.value.state.isBetweenRequests, !own.value.hasRequest { own.value.finish() }
                }
            )
        }

        /// Whether bytes of the next request have arrived that are not parsed yet.
        private var hasRequest: Bool { parser.unreadCount > 0 || connection.hasUnreadInput }

        /// Completes a body that ends with the drain or with the client. The end of the exchange disposes its source.
        func endEndlessBody() {
            guard let sending, sending.source.isEndless, sending.head == nil else { return }
            // Its client expects the end of the stream, and no other response on this connection.
            state.endAfterResponse()
            end(sending, .completed)
            sending.subscription.dispose()
        }

        // MARK: Clients that leave while their response is pending (Decision 0067)

        /// Whether the client has to be there: the response is pending, and its head has not been sent, or it is endless.
        ///
        /// A body that the service reads comes before the end of the stream, so the service receives it first. If that body is
        /// incomplete, the service receives a failure, and may answer it.
        var awaitsClient: Bool {
            if settings.limits.answersHalfClosed { return false }
            guard sending?.source.isEndless ?? state.awaitsResponse else { return false }
            return switch state.request {
            case .complete: true
            case .body: body?.isRead != true
            // The client ended its stream inside of a body that the service has read.
            case .closed: sending != nil
            case .idle, .head, .awaitingContinue: false
            }
        }

        /// Ends the connection of a client that has left. It perhaps reads, so it receives the end of an endless body.
        func leave() {
            endEndlessBody()
            finish()
        }
    }
#endif
