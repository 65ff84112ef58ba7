// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    public import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets

    extension WebSocket {
        /// Connects to an address and performs the handshake. Each subscription opens one WebSocket, sends it and
        /// completes.
        ///
        /// All events are delivered on `loop`. Disposing the subscription cancels the attempt. It does not close an open
        /// WebSocket. For TLS, set `ConnectSettings.transformer`.
        ///
        /// The signal fails with `connection` if the connection cannot be established or fails. It fails with
        /// `handshakeFailed` if the server does not accept, or violates the protocol. It fails with `timedOut` if the
        /// handshake takes longer than the timeout of `settings`.
        ///
        /// - Parameters:
        ///   - address: The address of the server.
        ///   - target: The path, and further fields of the request.
        ///   - loop: The loop of the connection.
        ///   - configuration: The settings of the WebSocket. Values outside their ranges trap.
        ///   - settings: The settings of the connection.
        /// - Returns: A cold signal of one WebSocket.
        public static func connect(
            to address: SocketAddress,
            _ target: WebSocketTarget = WebSocketTarget(),
            loop: any LoopScheduler,
            configuration: WebSocketConfiguration = WebSocketConfiguration(),
            settings: ConnectSettings = ConnectSettings()
        ) -> Signal<WebSocket, WebSocketError> {
            let settings = SpokenProtocols.client.restricted(settings)
            return open(
                Connection.connect(to: address, loop: loop, settings: settings),
                target,
                host: address.description,
                configuration,
                timeout: settings.timeout
            )
        }

        /// Resolves a host name, connects to one of its addresses, and performs the handshake. Otherwise like
        /// ``connect(to:_:loop:configuration:settings:)``.
        ///
        /// - Parameters:
        ///   - host: A host name, or a numeric address.
        ///   - port: The port. A number outside 0...65535 fails with `connection`.
        ///   - target: The path, and further fields of the request.
        ///   - loop: The loop of the connection.
        ///   - configuration: The settings of the WebSocket. Values outside their ranges trap.
        ///   - resolver: The resolver that looks up the name.
        ///   - settings: The settings of the connection.
        /// - Returns: A cold signal of one WebSocket.
        public static func connect(
            toHost host: String,
            port: Int,
            _ target: WebSocketTarget = WebSocketTarget(),
            loop: any LoopScheduler,
            configuration: WebSocketConfiguration = WebSocketConfiguration(),
            resolver: Resolver = .system,
            settings: ConnectSettings = ConnectSettings()
        ) -> Signal<WebSocket, WebSocketError> {
            let settings = SpokenProtocols.client.restricted(settings)
            return open(
                Connection.connect(toHost: host, port: port, loop: loop, resolver: resolver, settings: settings),
                target,
                host: host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)",
                configuration,
                timeout: settings.timeout
            )
        }

        private static func open(
            _ connection: Signal<Connection, SocketError>,
            _ target: WebSocketTarget,
            host: String,
            _ configuration: WebSocketConfiguration,
            timeout: Duration
        ) -> Signal<WebSocket, WebSocketError> {
            configuration.compression?.check()
            var target = target
            target.host = target.host ?? host
            guard target.isValid else {
                let message = "the path \(target.path) or the host \(target.host ?? "") contains invalid characters"
                return .fail(WebSocketError(.handshakeFailed, message))
            }
            return
                connection
                .mapError(WebSocketError.connection)
                .flatMap { [target] connection in
                    let late = WebSocketError(.timedOut, "the handshake of a WebSocket took longer than \(timeout)")
                    return WebSocketOpening.socket(on: connection, target, configuration)
                        .timeout(after: timeout, raising: late, on: connection.loop)
                }
        }
    }
#endif
