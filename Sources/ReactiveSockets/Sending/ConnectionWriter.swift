// SPDX-License-Identifier: MIT
import ReactiveSignals

/// Sends bytes through a connection from a task: `try await send("hello")`.
public struct ConnectionWriter: Sendable {
    let connection: Connection

    /// Sends bytes and suspends until the kernel has accepted all of them. So a slow peer slows the task down.
    ///
    /// Cancelling the task ends the suspension, but does not withdraw the bytes. Concurrent calls send in the order in
    /// which they reach the loop.
    ///
    /// - Parameter bytes: The bytes to send. Empty bytes send nothing.
    /// - Throws: A ``SocketError`` if the result of ``Connection/send(_:)`` fails. `CancellationError` if the task is
    ///   cancelled, even if all bytes have been sent.
    public func callAsFunction(_ bytes: Bytes) async throws {
        try await connection.send(bytes).end()
    }

    /// Ends the stream after all bytes sent so far, as ``Connection/finishSending()`` does. Later calls do nothing.
    public func finish() { connection.finishSending() }
}

extension Signal where Value == Never, Failure == SocketError {
    /// Waits for the termination. Throws the failure, or `CancellationError` if the task is cancelled.
    func end() async throws {
        var iterator = values(limit: 1).makeAsyncIterator()
        _ = try await iterator.next()
        try Task.checkCancellation()
    }
}
