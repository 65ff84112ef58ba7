// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// The output of a ``ConnectionTransformer``: bytes for the peer and bytes for the application, each in order.
public struct TransformedBytes: Sendable {
    var peerBytes = BytesQueue()
    var applicationBytes = BytesQueue()
    package private(set) var endsApplicationStream = false
    /// The connection that calls the transformer. nil in a test of a transformer.
    private let core: UnsafeTransfer<ConnectionCore>?

    /// Creates an empty output, for tests of a transformer.
    public init() { core = nil }

    init(for core: ConnectionCore) { self.core = UnsafeTransfer(core) }

    /// The handle that resumes the transformer of this call, from any thread. A transformer that suspends itself keeps
    /// it. nil if a test has created this output.
    ///
    /// Each access creates a handle. A connection whose transformer never takes one uses less memory and time.
    public var resumption: TransformerResumption? { core.map { core in TransformerResumption(core.value) } }

    /// The loop of the connection.
    package var loop: (any LoopScheduler)? { core?.value.loop }

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

    /// All bytes added so far, joined. For tests of a transformer.
    public var contents: (peer: Bytes, application: Bytes) {
        (Bytes(joining: peerBytes.buffers(.max)), Bytes(joining: applicationBytes.buffers(.max)))
    }
}
