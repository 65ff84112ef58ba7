// SPDX-License-Identifier: MIT
public import ReactiveSignals

/// Serves while `body` runs, then drains the server and waits until it has stopped.
///
/// ```swift
/// let reply = try await withServer(on: .loopback(port: 0), loops: loops, grace: .seconds(10)) { connection in
///     connection.send(from: connection.received)
/// } whileServing: { server in
///     try await ask(server.localAddress)
/// }
/// ```
///
/// The drain begins when `body` returns or throws, or when the task is cancelled, whichever comes first. On return all
/// connections and listening sockets are closed. A service can observe ``Connection/draining`` to say goodbye. To serve
/// until the task is cancelled, wait in `body` for ``Server/untilStopped()``.
///
/// A `body` that ignores cancellation delays the return of the function, but not the drain.
///
/// - Parameters:
///   - address: The local address. Port 0 asks the system to pick a port.
///   - loops: The loops to which the connections belong. They must run until the function returns.
///   - limits: The limits on connections.
///   - backlog: The maximum number of peers that the kernel queues for each listening socket (listen(2)).
///   - options: Options of the listening sockets. Connections inherit them.
///   - watermarks: The watermarks of each connection.
///   - transformer: Creates the transformer of each connection. `nil` means none.
///   - proxies: The proxies that connect (``TrustedProxies``). `nil` means that the peers are the clients.
///   - grace: The time that connections have to end after the drain has begun. The remaining ones are reset. A value of
///     zero or less resets them immediately.
///   - service: Serves a connection, as in the initializer of ``Server``.
///   - body: Uses the server. It is called once, when the server listens, in the caller's task.
/// - Returns: The result of `body`.
/// - Throws: A ``SocketError`` if the server cannot listen, and the error that `body` throws.
public func withServer<Result>(
    on address: SocketAddress,
    loops: LoopGroup,
    limits: ServerLimits = ServerLimits(),
    backlog: Int32 = 4096,
    options: [SocketSetting] = [],
    watermarks: Watermarks = Watermarks(),
    transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
    proxies: TrustedProxies? = nil,
    grace: Duration = .seconds(30),
    service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>,
    whileServing body: (Server) async throws -> Result
) async throws -> Result {
    let server = try Server(
        on: address,
        loops: loops,
        limits: limits,
        backlog: backlog,
        options: options,
        watermarks: watermarks,
        transformer: transformer,
        proxies: proxies,
        service: service
    )
    return try await withTaskCancellationHandler {
        do {
            let result = try await body(server)
            await server.drain(within: grace).terminated()
            return result
        } catch {
            await server.drain(within: grace).terminated()
            throw error
        }
    } onCancel: {
        server.drain(within: grace)
    }
}

extension Server {
    /// Waits until the server has stopped: all connections have ended and all listening sockets are closed.
    ///
    /// It returns immediately if the server has stopped. It does not stop the server, and cancelling the task does not
    /// end the wait. Any number of tasks may wait.
    public func untilStopped() async {
        await core.stopped.signal.terminated()
    }
}

extension Signal where Value == Never, Failure == Never {
    /// Waits for the termination, even in a cancelled task.
    fileprivate func terminated() async {
        await withCheckedContinuation { continuation in
            subscribe(onTermination: { _ in continuation.resume() })
        }
    }
}
