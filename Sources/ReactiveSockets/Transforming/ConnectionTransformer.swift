// SPDX-License-Identifier: MIT
/// Transforms the bytes between a connection and its descriptor, for example for encryption or compression.
///
/// Each connection has its own transformer. The connection calls it on its loop, one call at a time. Each call may
/// produce bytes for the peer, bytes for the application, both or none. The transformer may keep its input for later
/// calls, for example during a handshake. It must not use its own connection during a call: that traps.
///
/// If a call throws, the connection fails with that error. Before that, it writes the bytes for the peer that the
/// kernel accepts immediately, such as an alert. Bytes for the application that have not been received yet are dropped.
///
/// A struct that converts received ASCII letters to upper case:
///
/// ```swift
/// struct UpperCase: ConnectionTransformer {
///     mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
///         out.toApplication(Bytes(bytes.map { (97...122).contains($0) ? $0 - 32 : $0 }))
///     }
///
///     mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }
/// }
/// ```
public protocol ConnectionTransformer: Sendable {
    /// The number of bytes passed to ``send(_:_:)`` that the transformer still keeps. The default is 0.
    ///
    /// These bytes count as waiting bytes (rule N10). If the transformer keeps bytes of a `send`, the result of that
    /// `send` completes only after this number is 0 again. The connection reads the number after each call.
    var heldCount: Int { get }

    /// Whether the transformer cannot continue without bytes of the peer, for example during a handshake. The default
    /// is false.
    ///
    /// While it is true, the connection receives even if `received` has no subscriber or is paused, and after
    /// `close()`. `finishSending()` takes effect when the value becomes false. The connection reads it after each call.
    var needsInput: Bool { get }

    /// Whether the transformer can process nothing until ``resume(_:)``, for example because it waits for a certificate.
    /// The default is false.
    ///
    /// The call that suspends the transformer takes the handle that resumes it from ``TransformedBytes/resumption``.
    /// The connection ignores it while ``needsInput`` is false. A connection with a suspended transformer receives
    /// nothing, so that the peer cannot fill memory. ``inputTimeout`` continues. Bytes that the application sends still
    /// arrive at ``send(_:_:)``. The connection reads the value after each call.
    var isSuspended: Bool { get }

    /// The maximum time from the connection's start until ``needsInput`` becomes false. Otherwise the connection fails
    /// with `timedOut`. The default is nil: no limit. If ``needsInput`` becomes true again later, there
    /// is no limit.
    var inputTimeout: Duration? { get }

    /// Called once, when the connection begins. It may start a handshake. Does nothing by default.
    ///
    /// - Parameter out: The output of the call.
    /// - Throws: The error that fails the connection.
    mutating func begin(_ out: inout TransformedBytes) throws(SocketError)

    /// Called after ``TransformerResumption/resume()``, unless the connection has ended. It processes the input that the
    /// transformer has kept. Does nothing by default.
    ///
    /// - Parameter out: The output of the call.
    /// - Throws: The error that fails the connection.
    mutating func resume(_ out: inout TransformedBytes) throws(SocketError)

    /// Called when the peer has sent bytes. While `received` has no subscriber or is paused, and after `close()`, it is
    /// called only if ``needsInput`` is true.
    ///
    /// If the bytes for the peer that these calls produce reach the high watermark and the peer does not read them, the
    /// connection receives nothing until it has written all waiting bytes.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the peer's stream, at least one. Chunks may end anywhere.
    ///   - out: The output of the call.
    /// - Throws: The error that fails the connection.
    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError)

    /// Called when the peer has ended its stream. The transformer must produce all received bytes that it still keeps.
    /// Does nothing by default.
    ///
    /// - Parameter out: The output of the call.
    /// - Throws: The error that fails the connection, for example because bytes are missing.
    mutating func receiveEnd(_ out: inout TransformedBytes) throws(SocketError)

    /// Called when the application sends bytes.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes to send, at least one.
    ///   - out: The output of the call.
    /// - Throws: The error that fails the connection.
    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError)

    /// Called once, when the application has ended sending. The transformer must produce all sent bytes that it still
    /// keeps. Does nothing by default.
    ///
    /// It is not called if the connection fails or is aborted. The stream ends after the output of this call. Later
    /// calls must not produce bytes for the peer: after the end of the stream, such bytes fail the connection with
    /// `reset`.
    ///
    /// - Parameter out: The output of the call.
    /// - Throws: The error that fails the connection.
    mutating func finishSending(_ out: inout TransformedBytes) throws(SocketError)

    /// Called once, when the descriptor has been closed. Does nothing by default.
    ///
    /// An application may retain a closed connection, so the transformer should release the memory that it does not need
    /// any more. It is the last call. If the last reference to an open connection is released, it is not called.
    mutating func connectionEnded()
}

extension ConnectionTransformer {
    /// Returns 0.
    public var heldCount: Int { 0 }

    /// Returns false.
    public var needsInput: Bool { false }

    /// Returns false.
    public var isSuspended: Bool { false }

    /// Returns nil.
    public var inputTimeout: Duration? { nil }

    /// Does nothing.
    ///
    /// - Throws: Nothing.
    public mutating func resume(_ out: inout TransformedBytes) throws(SocketError) {}

    /// Does nothing.
    ///
    /// - Throws: Nothing.
    public mutating func begin(_ out: inout TransformedBytes) throws(SocketError) {}

    /// Does nothing.
    ///
    /// - Throws: Nothing.
    public mutating func receiveEnd(_ out: inout TransformedBytes) throws(SocketError) {}

    /// Does nothing.
    ///
    /// - Throws: Nothing.
    public mutating func finishSending(_ out: inout TransformedBytes) throws(SocketError) {}

    /// Does nothing.
    public mutating func connectionEnded() {}
}
