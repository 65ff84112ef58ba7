// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Responses, from the result of the service to the last byte.
    extension ServerConnection {
        /// Sends a response. Does nothing if the request has been answered.
        func respond(_ response: HTTPResponseMessage, to number: Int) {
            guard number == state.requests, state.awaitsResponse, sending == nil else { return }
            switch response.body.content {
            case .stored(let bytes):
                sendHead(response.head, .fixed(bytes.count), bytes)
                if state.endResponse() { exchangeEnded() } else { work() }
            case .failed(let content):
                report(content.error)
                // An observer of the failure may have ended the connection.
                respond(HTTPMessage(response.head, body: HTTPBody(content.text)), to: number)
            case .source(let source): send(response.head, source)
            case .received(let received): send(response.head, BodySource(received, of: response.head))
            case .file(let content): send(response.head, content)
            case .upgrade(let start): upgrade(response.head, start)
            case .upgraded:
                let error = HTTPError(.serviceFailed, "the service returned the upgraded connection of a client")
                self.respond(failure: error, to: number)
            }
        }

        /// Answers with the status of a failure of the service.
        func respond(failure: any Error, to number: Int) {
            guard number == state.requests, state.awaitsResponse, sending == nil else { return }
            let error =
                failure as? HTTPError ?? HTTPError(.serviceFailed, "the service failed: \(failure)", cause: failure)
            report(error)
            state.endAfterResponse()
            if let status = error.peerStatus { return respond(.plain(status, error.message), to: number) }
            // The message may contain what the peer must not know.
            respond(.plain(error.status ?? .internalServerError, "the service failed"), to: number)
        }

        /// Sends the head, and the whole body with it. The connection may fail meanwhile.
        func sendHead(_ head: HTTPResponse, _ length: MessageFraming.BodyLength, _ content: Bytes = Bytes()) {
            if isDraining || leavesUnreadBody || head.headerFields.asksToClose { state.endAfterResponse() }
            let writer = HeadWriter(
                isForHead: isHead,
                minorVersion: framing.minorVersion,
                isPersistent: state.keepsAlive,
                body: length
            )
            state.beginResponse()
            sink.receive(writer.write(head, content))
        }

        // MARK: Streamed bodies

        func send(_ head: HTTPResponse, _ source: BodySource) {
            let body = OutgoingBody(head, source, output.makeChild())
            if isHead || !head.status.allowsBody {
                sendHead(head, body.framing(minorVersion: framing.minorVersion))
                if state.endResponse() { exchangeEnded() } else { work() }
                return
            }
            sending = body
            source.signal.attach(TargetSink(OutgoingTarget(self, body)), in: body.subscription)
            // Otherwise the head has been sent with the first bytes.
            if sending === body { beginSending(body) }
            if isDraining { endEndlessBody() }
            // The client may have left before.
            if inputHasEnded { work() }
        }

        /// Sends the head if it has not been sent. It waits for a first chunk that the source sends at once, so that the
        /// decision whether the connection persists can consider whether the source reads the request.
        private func beginSending(_ body: OutgoingBody) {
            guard let head = body.head.take() else { return }
            let framing = body.framing(minorVersion: framing.minorVersion)
            if framing == .untilClose { state.endAfterResponse() }
            body.framing = framing
            sendHead(head, framing)
        }

        func send(_ bytes: Bytes, of body: OutgoingBody) {
            guard sending === body else { return }
            beginSending(body)
            // The connection may have failed.
            guard !bytes.isEmpty, sending === body else { return }
            do throws(HTTPError) {
                sink.receive(try body.frame(bytes, of: Self.message))
            } catch {
                return reset(error)
            }
            body.count(bytes.count, on: loop)
        }

        func end(_ body: OutgoingBody, _ termination: Termination<HTTPError>) {
            guard sending === body else { return }
            if case .failed(let error) = termination {
                if body.head == nil { return reset(error) }
                // Nothing has been sent, so the peer can receive a status.
                sending = nil
                return respond(failure: error, to: state.requests)
            }
            if state.response == .upgraded { return finish() }
            beginSending(body)
            guard sending === body else { return }
            do throws(HTTPError) { try body.checkEnd(of: Self.message) } catch { return reset(error) }
            if let ending = body.ending { sink.receive(ending) }
            sending = nil
            if state.endResponse() { exchangeEnded() } else { work() }
        }

        // MARK: Upgrades

        /// Gives the connection to another protocol. The rest of the request arrives first.
        private func upgrade(_ head: HTTPResponse, _ start: @escaping HTTPUpgrade.Start) {
            guard state.request == .complete else {
                let error = HTTPError(.serviceFailed, "the service upgraded a request whose body it had not received")
                return respond(failure: error, to: state.requests)
            }
            // RFC 9110 section 7.8: other requests, and all requests of HTTP/1.0, do not change the protocol.
            guard framing.isUpgrade else {
                var response = HTTPResponseMessage.plain(.upgradeRequired, "the request does not ask for an upgrade")
                response.head.headerFields[.upgrade] = head.headerFields[.upgrade]
                return respond(response, to: state.requests)
            }
            sendHead(head, .tunnel)
            // The connection may have failed.
            if state.isClosed { return }
            state.upgrade()
            releaseHandling()
            endServing()
            let received = ReceivedBody(length: nil, loop: loop, owner: self)
            self.body = received
            let upgrade = HTTPUpgrade(connection: connection, unread: UnsafeTransfer(received))
            let source = start(upgrade).mapError { error in
                HTTPError(.sourceFailed, "the protocol after an upgrade failed: \(error)", cause: error)
            }
            // The body does not retain the source, whose closures an idle connection would keep.
            let body = OutgoingBody(nil, .none, output.makeChild())
            body.framing = .tunnel
            sending = body
            source.attach(TargetSink(OutgoingTarget(self, body)), in: body.subscription)
            work()
        }
    }
#endif
