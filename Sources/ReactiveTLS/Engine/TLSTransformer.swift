// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveSockets
    import ReactiveSupport

    /// The transformer of a connection with TLS.
    struct TLSTransformer: ConnectionTransformer {
        private let confined: UnsafeTransfer<TLSSession>

        init(_ session: TLSSession) { confined = UnsafeTransfer(session) }

        var session: TLSSession { confined.value }

        var info: TLSInfo? { session.info }
        var heldCount: Int { session.heldCount }
        var needsInput: Bool { session.needsInput }
        var isSuspended: Bool { session.phase == .suspended }
        var inputTimeout: Duration? { session.handshake?.timeout }

        mutating func resume(_ out: inout TransformedBytes) throws(SocketError) { try session.resume(&out) }

        mutating func begin(_ out: inout TransformedBytes) throws(SocketError) { try session.begin(&out) }

        mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            try session.receive(bytes, &out)
        }

        mutating func receiveEnd(_ out: inout TransformedBytes) throws(SocketError) { try session.receiveEnd(&out) }

        mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            try session.send(bytes, &out)
        }

        mutating func finishSending(_ out: inout TransformedBytes) throws(SocketError) {
            try session.finishSending(&out)
        }

        mutating func connectionEnded() { session.end() }
    }
#endif
