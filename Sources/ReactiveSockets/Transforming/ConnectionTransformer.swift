/// What stands between a connection and its descriptor, and changes the bytes on their way: encryption, compression.
///
/// A connection has one of its own and calls it on its loop, one call at a time. It may answer any call with bytes for the
/// peer and bytes for the application, or with none, and keep for later what it is given: a handshake is both. It must not use
/// the connection that it belongs to. An error that it throws breaks the connection off, and is what everybody is told.
///
/// A struct that upper-cases what is received:
///
///     struct UpperCase: ConnectionTransformer {
///         mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
///             out.toApplication(Bytes(bytes.map { (97...122).contains($0) ? $0 - 32 : $0 }))
///         }
///         mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }
///     }
public protocol ConnectionTransformer: Sendable {
    /// How many of the bytes given to ``send(_:_:)`` have not come out yet. They count as waiting to be sent (rule N10), and
    /// a `send` completes when none of its are left here. 0 unless said otherwise.
    var heldCount: Int { get }

    /// The connection has begun. Nothing unless said otherwise.
    mutating func begin(_ out: inout TransformedBytes) throws(SocketError)

    /// The peer has sent bytes.
    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError)

    /// The peer has sent all it has. What is still kept comes out now; where something is missing this throws. Nothing unless
    /// said otherwise.
    mutating func receiveEnd(_ out: inout TransformedBytes) throws(SocketError)

    /// The application sends bytes.
    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError)

    /// The application has sent all it has: what is still kept comes out now. Nothing unless said otherwise.
    mutating func finishSending(_ out: inout TransformedBytes) throws(SocketError)
}

extension ConnectionTransformer {
    public var heldCount: Int { 0 }

    public mutating func begin(_ out: inout TransformedBytes) throws(SocketError) {}

    public mutating func receiveEnd(_ out: inout TransformedBytes) throws(SocketError) {}

    public mutating func finishSending(_ out: inout TransformedBytes) throws(SocketError) {}
}
