// SPDX-License-Identifier: MIT
/// The output of a ``ConnectionTransformer``: bytes for the peer and bytes for the application, each in order.
public struct TransformedBytes: Sendable {
    private(set) var peerBytes = BytesQueue()
    private(set) var applicationBytes = BytesQueue()
    package private(set) var endsApplicationStream = false

    /// Creates an empty output, for tests of a transformer.
    public init() {}

    /// Adds bytes for the peer, after those added before. Empty bytes add nothing.
    public mutating func toPeer(_ bytes: Bytes) {
        if !bytes.isEmpty { peerBytes.append(bytes) }
    }

    /// Adds bytes for the application, after those added before. `received` sends each addition as one chunk. Empty
    /// bytes add nothing.
    public mutating func toApplication(_ bytes: Bytes) {
        if !bytes.isEmpty, !endsApplicationStream { applicationBytes.append(bytes) }
    }

    /// Ends the stream of the application after the bytes added so far, although the peer has not ended its own.
    ///
    /// Later calls of ``toApplication(_:)`` have no effect. A transformer must not add bytes for the application in a
    /// later output either.
    public mutating func endApplicationStream() { endsApplicationStream = true }

    var hasPeerBytes: Bool { !peerBytes.isEmpty }
    var hasApplicationBytes: Bool { !applicationBytes.isEmpty }

    /// Removes and returns the bytes for the peer.
    mutating func takePeerBytes() -> BytesQueue {
        var taken = BytesQueue()
        swap(&taken, &peerBytes)
        return taken
    }

    /// Removes and returns the bytes for the application.
    mutating func takeApplicationBytes() -> BytesQueue {
        var taken = BytesQueue()
        swap(&taken, &applicationBytes)
        return taken
    }

    /// All bytes added so far, joined. For tests of a transformer.
    public var contents: (peer: Bytes, application: Bytes) {
        (Bytes(joining: peerBytes.pieces(.max)), Bytes(joining: applicationBytes.pieces(.max)))
    }
}
