// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The handshake of a client on a connection. Only the connection's loop accesses it.
    final class WebSocketOpening {
        private let connection: Connection
        private let configuration: WebSocketConfiguration
        private let handshake: ClientHandshake
        private let emitter: Emitter<WebSocket, WebSocketError>
        /// The subscription of the caller.
        private let subscription: SignalSubscription
        private let input = SignalSubscription()
        private var parser: MessageParser
        private var isDone = false

        /// Sends the open WebSocket. If the subscription is disposed first, the connection is closed.
        static func socket(
            on connection: Connection,
            _ target: WebSocketTarget,
            _ configuration: WebSocketConfiguration
        ) -> Signal<WebSocket, WebSocketError> {
            Signal { emitter, subscription in
                let opening = UnsafeTransfer(WebSocketOpening(connection, configuration, emitter, subscription))
                // Weak, because the opening retains the subscription. A disposed loop releases the opening.
                let weak = UnsafeTransfer(Weak(opening.value))
                subscription.onDispose { connection.loop.runOrExecute { weak.value.object?.cancel() } }
                connection.loop.runOrExecute { opening.value.start(target) }
            }
        }

        private init(
            _ connection: Connection,
            _ configuration: WebSocketConfiguration,
            _ emitter: Emitter<WebSocket, WebSocketError>,
            _ subscription: SignalSubscription
        ) {
            self.connection = connection
            self.configuration = configuration
            self.emitter = emitter
            self.subscription = subscription
            handshake = ClientHandshake(configuration)
            parser = MessageParser(.responses)
        }

        private func start(_ target: WebSocketTarget) {
            if isDone { return }
            connection.send(request(target))
            let own = UnsafeTransfer(self)
            connection.received.subscribe(
                in: input,
                onValue: { chunk in own.value.receive(chunk) },
                onTermination: { termination in
                    switch termination {
                    case .completed:
                        own.value.fail(WebSocketError(.handshakeFailed, "the server ended its stream in the handshake"))
                    case .failed(let error): own.value.fail(.connection(error))
                    }
                }
            )
        }

        /// The request. `HTTPFields` contains no line breaks, and the target has been checked.
        private func request(_ target: WebSocketTarget) -> Bytes {
            var text = "GET \(target.path) HTTP/1.1\r\nHost: \(target.host ?? "")\r\n"
            for field in handshake.fields { text += "\(field.name.rawName): \(field.value)\r\n" }
            for field in target.fields { text += "\(field.name.rawName): \(field.value)\r\n" }
            return Bytes(text + "\r\n")
        }

        private func receive(_ chunk: Bytes) {
            if isDone { return }
            parser.feed(chunk)
            do {
                while let event = try parser.next() {
                    // Informational responses precede the answer.
                    guard case .response(let head, _) = event,
                        head.status == .switchingProtocols || head.status.kind != .informational
                    else { continue }
                    return open(try handshake.check(head))
                }
            } catch let error as WebSocketError {
                fail(error)
            } catch {
                fail(WebSocketError(.handshakeFailed, "the server's answer is malformed: \(error)", cause: error))
            }
        }

        private func open(_ agreement: (subprotocol: String?, compression: DeflateAgreement?)) {
            // Another thread may have disposed it, and the job that cancels has not run yet.
            if subscription.isDisposed { return cancel() }
            isDone = true
            input.dispose()
            let rest = parser.takeRest()
            let (connection, configuration, emitter) = (connection, configuration, emitter)
            let bytes: Signal<Bytes, SocketError> = .starting { sink, output in
                if output.isDisposed { return }
                let core = WebSocketCore(
                    connection,
                    configuration,
                    isClient: true,
                    compression: agreement.compression,
                    sink,
                    output
                )
                core.start(keepAlive: configuration.keepAlive)
                emitter.send(WebSocket(core, subprotocol: agreement.subprotocol))
                emitter.complete()
                core.receive(from: rest.isEmpty ? connection.received : .just(rest).concat(connection.received))
            }
            // The WebSocket reports the end of the connection itself.
            connection.send(from: bytes).subscribe(onTermination: { _ in })
        }

        private func fail(_ error: WebSocketError) {
            if isDone { return }
            cancel()
            emitter.fail(error)
        }

        private func cancel() {
            if isDone { return }
            isDone = true
            input.dispose()
            connection.close()
        }
    }
#endif
