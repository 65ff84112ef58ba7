// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSockets

    extension TLSSession {
        /// The state of a handshake, or of a later message of the peer that interrupts sending. A session releases it
        /// afterwards, to save memory.
        final class Handshake {
            /// The limit of the handshake. nil after it.
            let timeout: Duration?
            /// Counts the steps of all connections of the loop. nil without a connection.
            var queue: HandshakeQueue?
            /// Bytes of the peer that OpenSSL has not read, because the handshake is suspended.
            var unread = Bytes()
            /// Bytes of the application that wait for the handshake.
            var held: [Bytes] = []
            var heldCount = 0
            var serverName = ServerNameStage.unread
            /// Why this side refuses the client's hello. OpenSSL's own reason says only that a callback has failed.
            var refusal: TLSError?
            /// The application protocols that the server speaks. Empty means those of the configuration.
            var spokenProtocols: [String] = []

            init(timeout: Duration? = nil) { self.timeout = timeout }

            func hold(_ bytes: Bytes) {
                held.append(bytes)
                heldCount += bytes.count
            }
        }

        /// The number of handshake messages of the peer that one call processes. No flight of a handshake has as many.
        static let messagesPerCall = 16

        /// Suspends the session if the peer has sent too many messages of handshakes, such as KeyUpdates. It continues in
        /// a later turn, as a step of a handshake does.
        func yieldIfLimited(_ out: TransformedBytes) {
            guard waitsForPeer || phase == .established, unsafe io.pointee.input_count > 0,
                unsafe reactive_tls_is_limited(io) == 1, phase != .suspended, let resumption = out.resumption
            else { return }
            enter(.suspended)
            let state = handshake ?? Handshake()
            state.queue = .of(resumption.loop)
            handshake = state
            resumption.resume()
        }
    }
#endif
