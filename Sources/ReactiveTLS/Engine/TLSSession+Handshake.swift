// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveSockets

    extension TLSSession {
        /// The state that only a handshake needs, or a later message that stops sending. A session releases it at the end,
        /// to save memory.
        final class Handshake {
            /// Resumes the connection after a suspension. nil without a connection, as in tests.
            var resumption: TransformerResumption?
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

            func hold(_ bytes: Bytes) {
                held.append(bytes)
                heldCount += bytes.count
            }
        }
    }
#endif
