public import ReactiveCore
public import ReactiveSignals

/// Connects, and lends what is received and a way to send to `body`; when that returns the connection is closed, when it
/// throws or its task is cancelled the connection is broken off.
///
///     let answer = try await withConnection(to: address, loop: loop) { received, send in
///         try await send("PING\r\n")
///         for try await chunk in received { return String(chunk) }
///         return ""
///     }
///
/// - Throws: a ``SocketError`` where it cannot connect, `CancellationError`, and what `body` throws.
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
    /// Lends what is received and a way to send to `body`; when that returns the connection is closed, when it throws or
    /// its task is cancelled it is broken off.
    ///
    /// - Throws: what `body` throws.
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
