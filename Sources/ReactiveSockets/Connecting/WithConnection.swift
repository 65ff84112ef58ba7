// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals

/// Connects, calls `body` with the received bytes and a writer, and closes the connection when `body` returns.
///
/// The close is graceful, as ``Connection/close()`` is, and the function does not wait for it. If `body` throws or the
/// task is cancelled, the connection is reset.
///
/// ```swift
/// let answer = try await withConnection(to: address, loop: loop) { received, send in
///     try await send("PING\r\n")
///     for try await chunk in received { return String(chunk) }
///     return ""
/// }
/// ```
///
/// - Parameters:
///   - address: The address of the peer.
///   - loop: The loop of the connection. The call suspends until the loop runs.
///   - settings: The settings of the attempt and of the connection.
///   - body: Uses the connection. `received` buffers at most 8 chunks, then reading pauses. Do not iterate it
///     concurrently.
/// - Returns: The result of `body`.
/// - Throws: A ``SocketError`` if connecting fails, `CancellationError` if the task is cancelled before it succeeds,
///   and the error that `body` throws.
public func withConnection<Result>(
    to address: SocketAddress,
    loop: any LoopScheduler,
    settings: ConnectSettings = ConnectSettings(),
    _ body: (_ received: SignalValues<Bytes, SocketError>, _ send: ConnectionWriter) async throws -> Result
) async throws -> Result {
    let connecting = Connection.connect(to: address, loop: loop, settings: settings)
    var connections = connecting.values(limit: 1).makeAsyncIterator()
    guard let connection = try await connections.next() else { throw CancellationError() }
    return try await connection.use(body)
}

extension Connection {
    /// Calls `body` with the received bytes and a writer, and closes the connection when `body` returns.
    ///
    /// The close is graceful, as ``close()`` is, and the function does not wait for it. If `body` throws or the task is
    /// cancelled, the connection is reset.
    ///
    /// - Parameter body: Uses the connection. `received` buffers at most 8 chunks, then reading pauses. Do not iterate
    ///   it concurrently.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws. After a cancellation this is usually `CancellationError`.
    public func use<Result>(
        _ body: (_ received: SignalValues<Bytes, SocketError>, _ send: ConnectionWriter) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await withTaskCancellationHandler {
                try await body(received.values(limit: 8), ConnectionWriter(connection: self))
            } onCancel: {
                abort()
            }
            close()
            return result
        } catch {
            abort()
            throw error
        }
    }
}
