// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    public import ReactiveCommands
    public import ReactiveSignals
    public import ReactiveSockets

    extension HTTPServer {
        /// Listens on `address`, and answers each request with the result of a function.
        ///
        /// - Parameters:
        ///   - address: The local address. Port 0 asks the system to pick a port.
        ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
        ///   - limits: The limits of requests.
        ///   - connections: The limits on connections. If `writeStalled` is `nil`, it is ``HTTPLimits/idleTime``.
        ///   - options: Options of the listening sockets. Connections inherit them.
        ///   - watermarks: The watermarks of each connection.
        ///   - transformer: Creates the transformer of each connection, such as `TLSContext.server`. `nil` means none.
        ///   - respond: Answers a request. It is called on the connection's loop, and should return soon.
        /// - Throws: The errors of `Server`.
        public convenience init(
            on address: SocketAddress,
            loops: LoopGroup,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            options: [SocketSetting] = [],
            watermarks: Watermarks = Watermarks(),
            transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
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
                service: .function(respond)
            )
        }

        /// Listens on `address`, and answers each request with the first value of a signal.
        ///
        /// If the signal fails with an ``HTTPError`` that has a status, such as that of ``HTTPBody/bytes(limit:)``, the
        /// peer receives this status. Any other failure, and a completion without a value, is answered with 500. The
        /// subscription ends with the response, or when the connection ends.
        ///
        /// - Parameters:
        ///   - address: The local address. Port 0 asks the system to pick a port.
        ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
        ///   - limits: The limits of requests.
        ///   - connections: The limits on connections. If `writeStalled` is `nil`, it is ``HTTPLimits/idleTime``.
        ///   - options: Options of the listening sockets. Connections inherit them.
        ///   - watermarks: The watermarks of each connection.
        ///   - transformer: Creates the transformer of each connection, such as `TLSContext.server`. `nil` means none.
        ///   - service: Returns the signal of the response. It is called on the connection's loop. The signal may send on
        ///     any thread.
        /// - Throws: The errors of `Server`.
        public convenience init<Failure: Error>(
            on address: SocketAddress,
            loops: LoopGroup,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            options: [SocketSetting] = [],
            watermarks: Watermarks = Watermarks(),
            transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
            service: @escaping @Sendable (HTTPRequestMessage) -> Signal<HTTPResponseMessage, Failure>
        ) throws(SocketError) {
            try self.init(
                on: address,
                loops: loops,
                limits: limits,
                connections: connections,
                options: options,
                watermarks: watermarks,
                transformer: transformer,
                service: .signal { request, slot, subscription in
                    service(request).attach(TargetSink(ResponseTarget(slot, subscription)), in: subscription)
                }
            )
        }

        /// Listens on `address`, and executes a command for each request.
        ///
        /// A request that the command rejects is answered with 503. A failure of its work is answered as that of a signal.
        /// If the connection ends first, the execution is cancelled.
        ///
        /// - Parameters:
        ///   - address: The local address. Port 0 asks the system to pick a port.
        ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
        ///   - limits: The limits of requests.
        ///   - connections: The limits on connections. If `writeStalled` is `nil`, it is ``HTTPLimits/idleTime``.
        ///   - options: Options of the listening sockets. Connections inherit them.
        ///   - watermarks: The watermarks of each connection.
        ///   - transformer: Creates the transformer of each connection, such as `TLSContext.server`. `nil` means none.
        ///   - command: The command. All connections share it, and its strategy decides how many requests run at once.
        /// - Throws: The errors of `Server`.
        public convenience init<Failure: Error>(
            on address: SocketAddress,
            loops: LoopGroup,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            options: [SocketSetting] = [],
            watermarks: Watermarks = Watermarks(),
            transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
            executing command: Command<HTTPRequestMessage, HTTPResponseMessage, Failure>
        ) throws(SocketError) {
            try self.init(
                on: address,
                loops: loops,
                limits: limits,
                connections: connections,
                options: options,
                watermarks: watermarks,
                transformer: transformer,
                service: { request in
                    command.apply(request).flatMapError { error -> Signal<HTTPResponseMessage, any Error> in
                        switch error {
                        case .failed(let failure): .fail(failure)
                        case .rejected: .just(.plain(.serviceUnavailable, "the service is busy"))
                        case .cancelled: .fail(error)
                        }
                    }
                }
            )
        }

        /// Listens on `address`, and calls an asynchronous function in a new task for each request.
        ///
        /// An error that it throws is answered as the failure of a signal. If the connection ends first, the task is
        /// cancelled.
        ///
        /// - Parameters:
        ///   - address: The local address. Port 0 asks the system to pick a port.
        ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
        ///   - limits: The limits of requests.
        ///   - connections: The limits on connections. If `writeStalled` is `nil`, it is ``HTTPLimits/idleTime``.
        ///   - options: Options of the listening sockets. Connections inherit them.
        ///   - watermarks: The watermarks of each connection.
        ///   - transformer: Creates the transformer of each connection, such as `TLSContext.server`. `nil` means none.
        ///   - task: Answers a request.
        /// - Throws: The errors of `Server`.
        public convenience init(
            on address: SocketAddress,
            loops: LoopGroup,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            options: [SocketSetting] = [],
            watermarks: Watermarks = Watermarks(),
            transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
            task: @escaping @Sendable (HTTPRequestMessage) async throws -> HTTPResponseMessage
        ) throws(SocketError) {
            try self.init(
                on: address,
                loops: loops,
                limits: limits,
                connections: connections,
                options: options,
                watermarks: watermarks,
                transformer: transformer,
                service: { request in Signal { () async throws(any Error) in try await task(request) } }
            )
        }
    }
#endif
