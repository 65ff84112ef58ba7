// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveSockets

    extension TLSSession {
        /// The state that only a handshake needs. A session releases it after the handshake, to save memory.
        final class Handshake {
            let timeout: Duration
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

            init(timeout: Duration) { self.timeout = timeout }
        }

        /// What remains of a session after its connection has ended.
        final class Result {
            let info: TLSInfo?

            init(info: TLSInfo?) { self.info = info }
        }
    }
#endif
