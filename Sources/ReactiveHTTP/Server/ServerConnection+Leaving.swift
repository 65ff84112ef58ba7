// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// Clients that leave while their response is pending (Decision 0067).
    extension ServerConnection {
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

        /// Ends the connection if the client has ended its stream behind bytes that are not read yet, such as a pipelined
        /// request. Their order forbids to answer them: the response to the pending request would come first. Returns whether
        /// it did.
        func leaveIfClientHasLeft() -> Bool {
            guard holdsInput, awaitsClient, connection.hasPeerEnded else { return false }
            leave()
            return true
        }

        /// Ends the connection of a client that has left. It perhaps reads, so it receives the end of an endless body.
        func leave() {
            endEndlessBody()
            finish()
        }
    }
#endif
