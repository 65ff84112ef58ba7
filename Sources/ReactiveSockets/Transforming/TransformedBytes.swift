/// What comes out of a ``ConnectionTransformer``: bytes for the peer and bytes for the application, in order.
public struct TransformedBytes: Sendable {
    var peerBytes: [Bytes] = []
    var applicationBytes: [Bytes] = []

    /// Makes one that nothing has come out into: for tests of a transformer alone.
    public init() {}

    /// Sends bytes to the peer.
    public mutating func toPeer(_ bytes: Bytes) {
        if !bytes.isEmpty { peerBytes.append(bytes) }
    }

    /// Hands bytes to whoever receives.
    public mutating func toApplication(_ bytes: Bytes) {
        if !bytes.isEmpty { applicationBytes.append(bytes) }
    }

    /// Everything for the peer so far, and for the application.
    public var contents: (peer: Bytes, application: Bytes) {
        (Bytes(joining: peerBytes), Bytes(joining: applicationBytes))
    }
}
