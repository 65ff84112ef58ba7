// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSignals
    public import ReactiveSockets

    /// An HTTP/1.1 server: it calls a service for each request, and sends the response.
    ///
    /// ```swift
    /// let server = try HTTPServer(on: .loopback(port: 8080), loops: loops) { request in
    ///     .ok("hello\n")
    /// }
    /// ```
    ///
    /// It serves as soon as it is created. Releasing it does not stop it. Call ``drain(within:)`` or dispose its loops to
    /// stop it. Any thread may use every member.
    ///
    /// A connection serves one request at a time. Pipelined requests wait, and their responses keep their order (RFC 9112
    /// section 9.3.2). The server answers invalid requests itself, with the status of the ``HTTPError``. A client that ends its
    /// stream while its response is pending has left (``HTTPLimits/answersHalfClosed``).
    public final class HTTPServer: Sendable {
        package let server: Server
        private let settings: ServerSettings

        /// Creates the server that `open` opens with limits and with the service of a connection.
        init(
            _ service: HTTPService,
            _ limits: HTTPLimits,
            _ connections: ServerLimits,
            isSecure: Bool,
            _ open: (ServerLimits, @escaping ServerSettings.Serve) throws(SocketError) -> Server
        ) throws(SocketError) {
            let settings = ServerSettings(service, limits, scheme: isSecure ? "https" : "http")
            var connections = connections
            // A peer that does not read its response is found by the connection.
            connections.timeouts.writeStalled = connections.timeouts.writeStalled ?? limits.idleTime
            self.settings = settings
            server = try open(connections) { connection in
                connection.send(from: ServerConnection.responses(on: connection, settings))
            }
        }

        /// Listens on `address`, and answers requests. Any thread may call this initializer.
        ///
        /// - Parameters:
        ///   - address: The local address. Port 0 asks the system to pick a port.
        ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
        ///   - limits: The limits of requests.
        ///   - connections: The limits on connections. If `writeStalled` is `nil`, it is ``HTTPLimits/idleTime``.
        ///   - options: Options of the listening sockets. Connections inherit them.
        ///   - watermarks: The watermarks of each connection.
        ///   - transformer: Creates the transformer of each connection, such as `TLSContext.server`. `nil` means none.
        ///   - proxies: The proxies that connect with the PROXY protocol. `nil` means that the peers are the clients.
        ///   - service: Answers the requests.
        /// - Throws: The errors of `Server`.
        public convenience init(
            on address: SocketAddress,
            loops: LoopGroup,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            options: [SocketSetting] = [],
            watermarks: Watermarks = Watermarks(),
            transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
            proxies: TrustedProxies? = nil,
            service: HTTPService
        ) throws(SocketError) {
            try self.init(service, limits, connections, isSecure: transformer != nil) {
                (connections, serve) throws(SocketError) in
                try Server(
                    on: address,
                    loops: loops,
                    limits: connections,
                    options: options,
                    watermarks: watermarks,
                    transformer: transformer.map(SpokenProtocols.server.restrict),
                    proxies: proxies,
                    service: serve
                )
            }
        }

        /// Listens on `address`, and answers each request with the result of a function: ``HTTPService/function(_:)``.
        ///
        /// - Parameters:
        ///   - address: The local address. Port 0 asks the system to pick a port.
        ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
        ///   - limits: The limits of requests.
        ///   - connections: The limits on connections. If `writeStalled` is `nil`, it is ``HTTPLimits/idleTime``.
        ///   - options: Options of the listening sockets. Connections inherit them.
        ///   - watermarks: The watermarks of each connection.
        ///   - transformer: Creates the transformer of each connection, such as `TLSContext.server`. `nil` means none.
        ///   - proxies: The proxies that connect with the PROXY protocol. `nil` means that the peers are the clients.
        ///   - respond: Answers a request.
        /// - Throws: The errors of `Server`.
        public convenience init(
            on address: SocketAddress,
            loops: LoopGroup,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            options: [SocketSetting] = [],
            watermarks: Watermarks = Watermarks(),
            transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
            proxies: TrustedProxies? = nil,
            respond: @escaping @Sendable (HTTPRequestMessage) -> HTTPResponseMessage
        ) throws(SocketError) {
            try self.init(
                on: address,
                loops: loops,
                limits: limits,
                connections: connections,
                options: options,
                watermarks: watermarks,
                transformer: transformer,
                proxies: proxies,
                service: .function(respond)
            )
        }

        /// The local address. If port 0 was requested, it has the port that the system picked.
        public var localAddress: SocketAddress { server.localAddress }

        /// The loops to which the connections belong.
        public var loops: LoopGroup { server.loops }

        /// The state of the server. It is `stopped` when all connections have ended and all listening sockets are closed.
        public var state: ReadOnlyProperty<ServerState> { server.state }

        /// The number of open connections, including idle ones. Changes in quick succession are combined.
        public var connectionCount: ReadOnlyProperty<Int> { server.connectionCount }

        /// The events of the connections, as `Server.events` describes them. Completes when the server has stopped.
        public var events: Signal<ServerEvent, Never> { server.events }

        /// The counters of the connections so far.
        public var totals: ServerTotals { server.totals }

        /// The failures of peers and of the service, each on the loop of its connection.
        ///
        /// A subscriber receives only failures that occur after its subscription. If nothing has ever subscribed, failures
        /// of the service are reported as `UnhandledFailure`.
        public var failures: Signal<HTTPFailure, Never> { settings.failures.signal }

        /// Stops accepting, and waits until the connections end.
        ///
        /// Connections send `Connection: close` with their next response, and are closed after it. Connections that have
        /// been idle for long are closed immediately. A new connection, and one that has just been used, is closed if no
        /// request arrives within a second, because one may be on its way. Connections that remain after `grace` are reset.
        ///
        /// - Parameter grace: The time that connections have to end, longer than a second. A value of zero or less resets
        ///   them immediately.
        /// - Returns: A signal that completes when the server has stopped. It may be ignored.
        @discardableResult
        public func drain(within grace: Duration) -> Signal<Never, Never> { server.drain(within: grace) }

        /// Stops accepting and resets all connections immediately: `drain(within: .zero)`.
        ///
        /// - Returns: The result of ``drain(within:)``.
        @discardableResult
        public func stop() -> Signal<Never, Never> { server.stop() }
    }

    extension HTTPServer: CustomStringConvertible {
        /// The server in one line: `HTTPServer (127.0.0.1:8080, serving, 3 connections)`.
        public var description: String { "HTTP\(server)" }
    }
#endif
