// SPDX-License-Identifier: MIT
#if ServiceLifecycle
    import ReactiveCore
    import ReactiveSignals
    public import ReactiveSockets
    public import ServiceLifecycle

    /// A `Server` as a service of a `ServiceGroup`.
    ///
    /// The server is created when the group runs the service. A graceful shutdown drains the server: it accepts no new
    /// connections, and its open connections may finish. Cancellation stops it immediately.
    ///
    /// ```swift
    /// let echo = ServerService(grace: .seconds(20)) {
    ///     try Server(on: .loopback(port: 7000), loops: loops) { connection in
    ///         connection.send(from: connection.received)
    ///     }
    /// }
    /// let services = ServiceGroup(services: [echo], gracefulShutdownSignals: [.sigterm], logger: logger)
    /// try await services.run()
    /// ```
    ///
    /// The service does not own the loops. The program that creates the loops runs them, and disposes them after the
    /// group's run.
    public struct ServerService: Service {
        private let grace: Duration
        private let make: @Sendable () throws -> Server

        /// Creates a service. The service calls `make` to create its server when it is run.
        ///
        /// - Parameters:
        ///   - grace: How long open connections may take to finish after a graceful shutdown has begun. If the group
        ///     has a `maximumGracefulShutdownDuration`, that duration should be longer.
        ///   - make: Creates the server. It is called once for each run. If it throws an error, the run throws this
        ///     error.
        public init(grace: Duration = .seconds(30), _ make: @escaping @Sendable () throws -> Server) {
            self.grace = grace
            self.make = make
        }

        /// Serves until a graceful shutdown or cancellation has stopped the server. On return all connections are closed.
        ///
        /// - Throws: The error of `make`.
        public func run() async throws {
            let server = try make()
            await withTaskCancellationHandler {
                await withGracefulShutdownHandler {
                    await server.untilStopped()
                } onGracefulShutdown: { [grace] in
                    server.drain(within: grace)
                }
            } onCancel: {
                server.stop()
            }
        }
    }
#else
    public import ReactiveSockets

    /// A `Server` as a service. It exists only in a build with the trait `ServiceLifecycle`. Without the trait every
    /// use is a compile-time error.
    @available(
        *,
        unavailable,
        message:
            "ServerService needs the trait ServiceLifecycle: .package(url: …, from: …, traits: [\"ServiceLifecycle\"])"
    )
    public struct ServerService: Sendable {
        /// Cannot be called.
        public init(grace: Duration = .seconds(30), _ make: @escaping @Sendable () throws -> Server) {}

        /// Cannot be called.
        ///
        /// - Throws: Nothing.
        public func run() async throws {}
    }
#endif
