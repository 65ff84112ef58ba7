// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    public import ReactiveSignals
    import ReactiveSockets

    extension HTTPMessage<HTTPResponse> {
        /// The answer to the handshake of a WebSocket: `.webSocket(request) { socket in socket.send(from: socket.messages) }`.
        ///
        /// If the request is no valid handshake, or its page may not connect, the response is 400, 403 or 426, and `service`
        /// is not called. Otherwise the response is 101.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - configuration: The settings. Values outside their ranges trap.
        ///   - service: Called once on the connection's loop, when the response has been sent. When its result completes,
        ///     the WebSocket closes with the code 1000. When it fails, it closes with 1011. The values of the result are
        ///     ignored. Its subscription is disposed when the WebSocket ends. Messages that its operators still delay are
        ///     then dropped.
        public static func webSocket<Value, Failure: Error>(
            _ request: HTTPRequestMessage,
            _ configuration: WebSocketConfiguration = WebSocketConfiguration(),
            service: @escaping @Sendable (WebSocket) -> Signal<Value, Failure>
        ) -> HTTPMessage {
            configuration.compression?.check()
            do throws(ServerHandshake.Refusal) {
                let handshake = try ServerHandshake(request.head, hasBody: request.body.length != 0, configuration)
                return .upgrade(to: "websocket", fields: handshake.fields) { upgrade in
                    .starting { sink, output in
                        if output.isDisposed { return }
                        let core = WebSocketCore(
                            upgrade.connection,
                            configuration,
                            isClient: false,
                            compression: handshake.compression,
                            sink,
                            output
                        )
                        core.start(keepAlive: configuration.keepAlive)
                        core.serve(service(WebSocket(core, subprotocol: handshake.subprotocol)))
                        core.receive(from: upgrade.received)
                    }
                }
            } catch {
                var response = plain(error.status, error.message)
                response.head.headerFields.append(contentsOf: error.fields)
                return response
            }
        }
    }
#endif
