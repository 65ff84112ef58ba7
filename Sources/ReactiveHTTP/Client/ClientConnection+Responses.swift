// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Responses, from the head to the end of the body.
    extension ClientConnection {
        /// The time within which the dropped bytes must arrive. Otherwise the connection is closed.
        static let discardTime = Duration.seconds(2)

        func take(_ event: ParserEvent) throws(HTTPError) {
            switch event {
            case .response(let head, let framing): try begin(head, framing)
            case .body(let bytes):
                rest? -= bytes.count
                switch body {
                case .read(let body): body.deliver(bytes)
                case .discarded(let count): discard(count + bytes.count)
                case .none, .unread: break
                }
            case .end(let trailers):
                // The connection is free before the subscriber is notified, so that the next request can use it.
                let last = body
                body = .none
                exchangeEnded()
                if case .read(let body) = last { body.end(.completed, trailers: trailers) }
            case .request: break
            }
        }

        private func begin(_ head: HTTPResponse, _ framing: MessageFraming) throws(HTTPError) {
            guard let call else { return }
            if head.status.code == 101 { return try upgrade(head, call) }
            if head.status.code < 200 {
                guard state.receiveInformational() else {
                    throw HTTPError(
                        .malformed,
                        "\(serverName) sent more than \(ExchangeState.informationalLimit) informational responses"
                    )
                }
                if head.status.code == 100 { sendContent() }
                return
            }
            state.beginResponse()
            if !framing.isPersistent { state.endAfterResponse() }
            // An echo may respond before it has received everything. Any other early response means that the server does
            // not want the rest.
            if state.request == .awaitingContinue || hasUnsentBody && head.status.code >= 300 {
                stopSending()
                // The end of the source may have ended the connection.
                if state.isClosed { return }
            }
            if framing.body.isEmpty {
                // The end of such a message needs no bytes.
                _ = try parser.next()
                // A response to HEAD does not say that the content is empty. A server that passes it on must not say so
                // either (RFC 9110 section 8.6).
                let body = call.request.method == .head ? HTTPBody(.source(.none)) : .empty
                // The limit of the request goes on if the call follows a redirect.
                self.call = nil
                call.leaveConnection()
                exchangeEnded()
                if call.follows(head) { return }
                call.exchangeEnded()
                return call.received(HTTPMessage(head, body: body, peer: peer))
            }
            rest = framing.body.count
            if call.follows(head) {
                self.call = nil
                return discardRest()
            }
            let received = ReceivedBody(length: rest, loop: loop, owner: self)
            body = .unread(Weak(received))
            call.received(HTTPMessage(head, body: HTTPBody(.received(UnsafeTransfer(received))), peer: peer))
        }

        /// The exchange is complete. The connection serves the next request, or is closed.
        private func exchangeEnded() {
            let isQueued = output.isPaused
            stopSending()
            // The end of the source may have ended the connection.
            if state.isClosed { return }
            let hasEnded = state.endResponse()
            assert(hasEnded, "a response has ended in \(state)")
            call.take()?.exchangeEnded()
            if isQueued {
                return cancel(HTTPError(.closed, "\(serverName) responded before it had received the request"))
            }
            // Bytes after the response belong to no request.
            if state.keepsAlive, parser.unreadCount == 0, !inputHasEnded {
                updateWait()
                pool.release(self)
            } else {
                finish()
            }
        }

        // MARK: Bodies

        func bodyChanged(_ changed: ReceivedBody) {
            switch body {
            case .unread(let weak) where weak.object === changed && changed.isRead: body = .read(changed)
            case .read(let current) where current === changed && !changed.isRead: return discardRest()
            case .none, .unread, .read, .discarded: break
            }
            work()
        }

        func unreadBodyReleased() {
            if case .unread(let weak) = body, weak.object == nil { discardRest() }
        }

        /// Drops the rest of the body, or closes the connection if that costs more than a new one.
        func discardRest() {
            if !state.keepsAlive || hasUnsentBody || rest ?? 0 > Self.discardLimit { return cancel(Self.unwanted) }
            body = .discarded(0)
            work()
        }

        private func discard(_ count: Int) {
            body = .discarded(count)
            if count > Self.discardLimit { cancel(Self.unwanted) }
        }

        private static var unwanted: HTTPError {
            HTTPError(.closed, "nothing reads the body of the response, so this side has closed the connection")
        }

        // MARK: Upgrades

        /// Gives the connection to another protocol.
        private func upgrade(_ head: HTTPResponse, _ call: ClientCall) throws(HTTPError) {
            guard call.request.asksForUpgrade, state.request == .complete else {
                throw HTTPError(.malformed, "\(serverName) upgraded the connection, and the request did not ask for it")
            }
            state.upgrade()
            let received = ReceivedBody(length: nil, loop: loop, owner: self)
            body = .unread(Weak(received))
            pool.upgraded(self)
            connection.setTimeouts(ConnectionTimeouts(writeStalled: timeouts.idle))
            connection.answersPeer = true
            let upgrade = HTTPUpgrade(connection: connection, unread: UnsafeTransfer(received))
            self.call = nil
            call.exchangeEnded()
            call.received(HTTPMessage(head, body: HTTPBody(.upgraded(upgrade)), peer: peer))
        }
    }
#endif
