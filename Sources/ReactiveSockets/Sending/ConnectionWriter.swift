import ReactiveSignals

/// Sends through a connection, for a task that awaits: `try await send("hello")`.
public struct ConnectionWriter: Sendable {
    let connection: Connection

    /// Sends bytes, and waits until the kernel has all of them: a slow peer makes a slow task, and nothing grows.
    ///
    /// - Throws: a ``SocketError``, as ``Connection/send(_:)`` fails; `CancellationError` where the task has been cancelled.
    public func callAsFunction(_ bytes: Bytes) async throws {
        try await connection.send(bytes).end()
    }

    /// Ends sending: the peer sees the end of the stream.
    public func finish() { connection.finishSending() }
}

extension Signal where Value == Never, Failure == SocketError {
    /// Waits for the completion.
    func end() async throws {
        var iterator = values(limit: 1).makeAsyncIterator()
        _ = try await iterator.next()
        try Task.checkCancellation()
    }
}
