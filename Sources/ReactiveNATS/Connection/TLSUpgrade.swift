// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// Begins TLS after the first line of a server.
    ///
    /// A NATS server sends `INFO` as plain text before the handshake. Plain bytes after that line reach the TLS session, which
    /// refuses them, so an attacker can inject nothing.
    struct TLSUpgrade: ConnectionTransformer {
        private var session: any ConnectionTransformer
        private var hasBegun = false

        init(_ session: any ConnectionTransformer) { self.session = session }

        var heldCount: Int { session.heldCount }
        var needsInput: Bool { hasBegun && session.needsInput }
        var isSuspended: Bool { hasBegun && session.isSuspended }

        mutating func resume(_ out: inout TransformedBytes) throws(SocketError) { try session.resume(&out) }

        mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            if hasBegun { return try session.receive(bytes, &out) }
            guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return out.toApplication(bytes) }
            hasBegun = true
            out.toApplication(bytes[...newline])
            try session.begin(&out)
            let rest = bytes[(newline + 1)...]
            if !rest.isEmpty { try session.receive(rest, &out) }
        }

        mutating func receiveEnd(_ out: inout TransformedBytes) throws(SocketError) {
            if hasBegun { try session.receiveEnd(&out) }
        }

        mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            assert(hasBegun, "the client sends nothing before the server's first line")
            try session.send(bytes, &out)
        }

        mutating func finishSending(_ out: inout TransformedBytes) throws(SocketError) {
            if hasBegun { try session.finishSending(&out) }
        }

        mutating func connectionEnded() { session.connectionEnded() }
    }
#endif
