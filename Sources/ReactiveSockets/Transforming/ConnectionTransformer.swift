/// Transforms the bytes between a connection and its descriptor, for example for encryption or compression.
///
/// Each connection has its own transformer, and calls it on its loop, one call at a time. Each call may produce bytes for the peer,
/// bytes for the application, or none. The transformer may keep its input for later calls, for example during a handshake. It must
/// not use its own connection. If it throws, the connection fails with that error.
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
    /// The number of bytes given to ``send(_:_:)`` that it still holds. The default is 0.
    ///
    /// They count as waiting to be sent (rule N10). The result of a `send` does not complete before this is 0.
    var heldCount: Int { get }

    /// Called once, when the connection begins. Does nothing by default.
    ///
    /// - Throws: The error that fails the connection.
    mutating func begin(_ out: inout TransformedBytes) throws(SocketError)

    /// Called when the peer has sent bytes.
    ///
    /// - Throws: The error that fails the connection.
    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError)

    /// Called when the peer has ended its stream. Bytes still kept must be produced now. Does nothing by default.
    ///
    /// - Throws: The error that fails the connection, for example because bytes are missing.
    mutating func receiveEnd(_ out: inout TransformedBytes) throws(SocketError)

    /// Called when the application sends bytes.
    ///
    /// - Throws: The error that fails the connection.
    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError)

    /// Called when the application has ended sending. Bytes still kept must be produced now. Does nothing by default.
    ///
    /// - Throws: The error that fails the connection.
    mutating func finishSending(_ out: inout TransformedBytes) throws(SocketError)
}

extension ConnectionTransformer {
    /// Returns 0.
    public var heldCount: Int { 0 }

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
}
