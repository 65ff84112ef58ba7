// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSockets

    extension HTTPServer {
        /// Takes ownership of listening sockets, such as those of `InheritedSockets`, and answers requests.
        ///
        /// ```swift
        /// let server = try HTTPServer(adopting: inherited.take("http"), loops: loops, service: service)
        /// ```
        ///
        /// Another process may accept from the same sockets. So a peer that this one has accepted is served even if
        /// ``drain(within:)`` was called before. Any thread may call this initializer.
        ///
        /// - Parameters:
        ///   - descriptors: The open descriptors, at least one. ``localAddress`` is that of the first.
        ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
        ///   - limits: The limits of requests.
        ///   - connections: The limits on connections. If `writeStalled` is `nil`, it is ``HTTPLimits/idleTime``.
        ///   - watermarks: The watermarks of each connection.
        ///   - transformer: Creates the transformer of each connection, such as `TLSContext.server`. `nil` means none.
        ///   - proxies: The proxies that connect with the PROXY protocol. `nil` means that the peers are the clients.
        ///   - service: Answers the requests.
        /// - Throws: `badDescriptor` if there is none, or if one is closed, not a stream socket, or not listening. `loop`
        ///   if a loop has been disposed. After an error the caller still owns the descriptors.
        public convenience init(
            adopting descriptors: [Int32],
            loops: LoopGroup,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            watermarks: Watermarks = Watermarks(),
            transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
            proxies: TrustedProxies? = nil,
            service: HTTPService
        ) throws(SocketError) {
            try self.init(service, limits, connections, isSecure: transformer != nil) {
                (connections, serve) throws(SocketError) in
                try Server(
                    adopting: descriptors,
                    loops: loops,
                    limits: connections,
                    watermarks: watermarks,
                    transformer: transformer.map(SpokenProtocols.server.restrict),
                    proxies: proxies,
                    service: serve
                )
            }
        }

        /// Takes ownership of listening sockets, and answers each request with the result of a function:
        /// ``HTTPService/function(_:)``.
        ///
        /// Another process may accept from the same sockets. So a peer that this one has accepted is served even if
        /// ``drain(within:)`` was called before. Any thread may call this initializer.
        ///
        /// - Parameters:
        ///   - descriptors: The open descriptors, at least one. ``localAddress`` is that of the first.
        ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
        ///   - limits: The limits of requests.
        ///   - connections: The limits on connections. If `writeStalled` is `nil`, it is ``HTTPLimits/idleTime``.
        ///   - watermarks: The watermarks of each connection.
        ///   - transformer: Creates the transformer of each connection, such as `TLSContext.server`. `nil` means none.
        ///   - proxies: The proxies that connect with the PROXY protocol. `nil` means that the peers are the clients.
        ///   - respond: Answers a request.
        /// - Throws: `badDescriptor` if there is none, or if one is closed, not a stream socket, or not listening. `loop`
        ///   if a loop has been disposed. After an error the caller still owns the descriptors.
        public convenience init(
            adopting descriptors: [Int32],
            loops: LoopGroup,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            watermarks: Watermarks = Watermarks(),
            transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
            proxies: TrustedProxies? = nil,
            respond: @escaping @Sendable (HTTPRequestMessage) -> HTTPResponseMessage
        ) throws(SocketError) {
            try self.init(
                adopting: descriptors,
                loops: loops,
                limits: limits,
                connections: connections,
                watermarks: watermarks,
                transformer: transformer,
                proxies: proxies,
                service: .function(respond)
            )
        }
    }

    extension HandoverSocket {
        /// The listening sockets of an HTTP server. After the hand-over, drain the server.
        ///
        /// - Parameters:
        ///   - name: The name with which the next process finds the sockets.
        ///   - server: The server. The hand-over retains it.
        public static func server(_ name: String, _ server: HTTPServer) -> HandoverSocket {
            .server(name, server.server)
        }
    }
#endif
