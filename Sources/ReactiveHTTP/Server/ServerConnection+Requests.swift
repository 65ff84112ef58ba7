// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Requests, from their heads to the results of the service.
    extension ServerConnection {
        /// Passes a request to the service.
        func begin(_ request: HTTPRequest, _ framing: MessageFraming) {
            self.framing = framing
            isHead = request.method == .head
            path = request.path
            discarded = 0
            let hasBody = !framing.body.isEmpty
            state.begin(hasBody: hasBody, keepsAlive: framing.isPersistent)
            // After a 2xx response the bytes that follow belong to a tunnel, and are no requests (RFC 9110 section
            // 9.3.6).
            if request.method == .connect { state.endAfterResponse() }
            if let limit = settings.limits.requestsPerConnection, state.requests >= limit { state.endAfterResponse() }
            if framing.expectation == .other {
                let message = "the request expects something unknown: only 100-continue is allowed in Expect"
                return answer(HTTPError(.expectationFailed, message))
            }
            // RFC 9110 section 7.4.
            if let scheme = request.scheme, scheme != "http", scheme != settings.scheme {
                let message = "the request is for \(scheme), and its connection for \(settings.scheme)"
                return answer(HTTPError(.malformed, message))
            }
            var message = HTTPMessage(request, peer: peer)
            if hasBody {
                let body = ReceivedBody(length: framing.body.count, loop: loop, owner: self)
                self.body = body
                message.body = HTTPBody(.received(UnsafeTransfer(body)))
            } else {
                // The end of a message without a body needs no bytes.
                _ = try? parser.next()
            }
            serve(message, settings.service)
        }

        /// Inlined, because a server with one function is the usual case.
        @inline(__always)
        private func serve(_ message: HTTPRequestMessage, _ service: HTTPService) {
            switch service.content {
            case .function(let respond): self.respond(respond(message), to: state.requests)
            case .signal(let start, _): begin(start, message)
            case .paths(let table): serve(message, by: table)
            }
        }

        private func begin(_ start: HTTPService.Start, _ message: HTTPRequestMessage) {
            releaseHandling()
            let handling = SignalSubscription()
            self.handling = handling
            start(message, ResponseSlot(self, state.requests), handling)
        }

        /// A separate function, so that a server without a table does not pay for it.
        @inline(never)
        private func serve(_ message: HTTPRequestMessage, by table: PathTable) {
            serve(message, table.service(for: message.head.path ?? ""))
        }

        /// Sends the interim response that a peer waits for before it sends the body (RFC 9110 section 10.1.1).
        func sendContinue() {
            guard framing.expectation == .continue, state.awaitsResponse else { return }
            framing.expectation = .none
            // A peer that has sent a part of the body does not wait.
            if parser.unreadCount == 0 { sink.receive(Self.continueResponse) }
        }

        private static let continueResponse: Bytes = "HTTP/1.1 100 Continue\r\n\r\n"

        /// Counts bytes of a body that nothing reads. They arrive after the response.
        func discard(_ count: Int) {
            discarded += count
            if discarded > Self.discardLimit { finish() }
        }

        /// Whether the rest of the body is too long to be discarded, or will perhaps not be sent.
        var leavesUnreadBody: Bool {
            guard state.request == .body, let body, !body.isRead else { return false }
            if framing.expectation == .continue { return true }
            return (body.length ?? 0) > Self.discardLimit
        }

        /// Ends the subscription to the result of the service, in a job. The service is perhaps sending the response now,
        /// and then completes by itself.
        func releaseHandling() {
            guard let last = handling.take(), !last.isDisposed else { return }
            loop.execute { last.dispose() }
        }

        // MARK: The end of an exchange

        /// Continues with the next request, or ends the connection.
        func exchangeEnded() {
            sending.take()?.subscription.dispose()
            body.take()?.end(.failed(HTTPError(.closed, "the exchange of the body has ended")))
            path = nil
            if !state.keepsAlive { return finish() }
            // The response began before the drain, so it has not announced the end.
            if isDraining { awaitLastRequest() }
            work()
        }

        /// Reports a failure of the peer or of the service.
        func report(_ error: HTTPError) { settings.report(error, peer, path: path) }

        /// Acts on a violation of the protocol or a limit by the peer.
        func fail(_ error: HTTPError) {
            switch state.request {
            case .idle, .head:
                (framing, isHead) = (MessageFraming(), false)
                answer(error)
            case .body:
                report(error)
                state.closeRequest()
                // The service receives the failure and may answer with it.
                body?.end(.failed(error))
                if state.endRequest() { exchangeEnded() }
            case .awaitingContinue, .complete, .closed: break
            }
        }

        /// Answers with the status of an error, and closes the connection.
        func answer(_ error: HTTPError) {
            report(error)
            // An observer of the failure may have ended the connection.
            if state.isClosed { return }
            state.closeRequest()
            let response = HTTPResponseMessage.plain(error.status ?? .badRequest, error.message)
            if case .stored(let bytes) = response.body.content { sendHead(response.head, .fixed(bytes.count), bytes) }
            finish()
        }
    }
#endif
