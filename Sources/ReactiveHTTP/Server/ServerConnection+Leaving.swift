// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// Clients that leave while their response is pending (Decision 0067).
    extension ServerConnection {
        /// Whether the client has to be there: the response is pending, and its head has not been sent.
        ///
        /// A body that the service reads comes before the end of the stream, so the service receives it first. If that body is
        /// incomplete, the service receives a failure, and may answer it.
        var awaitsClient: Bool {
            guard !settings.limits.answersHalfClosed, state.awaitsResponse, sending == nil else { return false }
            return switch state.incoming {
            case .complete: true
            case .body: body?.isRead != true
            case .idle, .head, .closed: false
            }
        }

        /// Ends the connection if the client has ended its stream behind bytes that are not read yet, such as a pipelined
        /// request.
        /// Their order forbids to answer them: the response to the pending request would come first. Returns whether it did.
        func leaveIfClientHasLeft() -> Bool {
            guard holdsInput, awaitsClient, connection.hasPeerEnded else { return false }
            finish()
            return true
        }
    }
#endif
