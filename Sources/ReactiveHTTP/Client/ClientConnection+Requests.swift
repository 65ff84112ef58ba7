// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Requests, from the head to the last byte of the body.
    extension ClientConnection {
        /// Whether the next request may be sent: nothing has arrived that is not received yet. It would be the end of the
        /// stream, or bytes that belong to no response.
        var isUsable: Bool { state.isIdle && !inputHasEnded && !connection.hasUnreadInput }

        /// Sends a request. The connection is idle.
        func begin(_ call: ClientCall) {
            let request = call.request
            self.call = call
            var hasBody = true
            if case .none = request.content { hasBody = false }
            state.begin(hasBody: hasBody, awaitsContinue: request.expectsContinue, keepsAlive: !request.asksToClose)
            parser.requestMethod = request.method
            call.began(on: self)
            sink.receive(request.bytes)
            if state.isClosed { return }
            if state.request == .body { startBody(request.content) }
            updateWait()
        }

        /// Sends the body that has waited for `100 Continue`.
        func sendContent() {
            guard state.continueRequest(), let call else { return }
            startBody(call.request.content)
            updateWait()
        }

        private func startBody(_ content: PreparedRequest.Content) {
            switch content {
            case .none: state.endRequest()
            case .stored(let bytes):
                state.endRequest()
                sink.receive(bytes)
            case .source(let source):
                let body = OutgoingBody(nil, source, output.makeChild())
                body.framing = source.length.map { .fixed($0) } ?? .chunked
                sending = body
                call?.sourceHasBegun()
                source.signal.attach(TargetSink(OutgoingTarget(self, body)), in: body.subscription)
            }
        }

        func send(_ bytes: Bytes, of body: OutgoingBody) {
            guard sending === body, !bytes.isEmpty else { return }
            do throws(HTTPError) {
                sink.receive(try body.frame(bytes, of: Self.message))
            } catch {
                return cancel(error)
            }
            body.count(bytes.count, on: loop)
        }

        func end(_ body: OutgoingBody, _ termination: Termination<HTTPError>) {
            guard sending === body else { return }
            if case .failed(let error) = termination { return cancel(error) }
            do throws(HTTPError) { try body.checkEnd(of: Self.message) } catch { return cancel(error) }
            sending = nil
            state.endRequest()
            if let ending = body.ending { sink.receive(ending) }
            updateWait()
        }

        /// Whether more than a few bytes of the request have not reached the kernel. The connection pauses `output` while
        /// its queue is long.
        var hasUnsentBody: Bool { state.isSending || output.isPaused }

        /// Sends no more of the body, because the server has responded already.
        func stopSending() {
            // Behind an incomplete request the server cannot find the next one. A paused output still holds a long part.
            if state.isSending || output.isPaused && state.request == .complete { state.closeRequest() }
            sending.take()?.subscription.dispose()
        }
    }
#endif
