// SPDX-License-Identifier: MIT
#if TLS
    public import ReactiveSockets

    extension Connection {
        /// Upgrades a plain connection to TLS, as STARTTLS of SMTP and IMAP does (RFC 3207).
        ///
        /// Both sides call it after they have agreed in plain text. What was sent before the call stays plain, and
        /// arrives before the handshake. What is sent after it is encrypted, and waits for the handshake. A failed
        /// handshake fails the connection with the code `tls`. ``tlsInfo`` is nil until the handshake is complete.
        ///
        /// Any thread may call it. On the connection's loop it takes effect before it returns. On a connection that has
        /// been closed it does nothing.
        ///
        /// A server that waits for a line, answers, and serves the rest in TLS:
        ///
        /// ```swift
        /// guard try await connection.lines.first() == "STARTTLS" else { return connection.close() }
        /// connection.send(line: "220 ready")
        /// connection.startTLS(tls, as: .server)
        /// for try await line in connection.lines.values { handle(line) }
        /// ```
        ///
        /// Plain bytes that arrive after the command never become bytes of the secure stream (CVE-2011-0411):
        ///
        /// - `received` must have no subscriber. A subscriber may have stored such bytes, as a framing does with the
        ///   rest of a chunk. When its subscription ends, the subscriber drops these bytes. A subscriber of the secure
        ///   stream starts after this call.
        /// - Bytes that nothing has received yet are the beginning of the peer's handshake. If they are plain text, the
        ///   connection fails with ``TLSError/Code/notTLS``.
        ///
        /// If the call is not possible, the connection fails with ``TLSError/Code/cannotStart``: `received` has a
        /// subscriber, the connection uses TLS or another transformer already, `finishSending()` has been called, or
        /// the peer has ended its stream. So a peer that requests TLS twice causes an error, never a trap.
        ///
        /// - Parameters:
        ///   - context: The certificates and settings. Traps if it has no certificate and `role` is `server`.
        ///   - role: The side of the handshake, whichever side has connected.
        ///   - unread: Bytes that `received` has sent, and that are the beginning of the peer's handshake. Pass them
        ///     only if the peer begins its handshake without waiting for an answer, for example after the header that a
        ///     proxy sends. Never pass bytes that arrived as text of the command's protocol.
        public func startTLS(_ context: TLSContext, as role: TLSRole, unread: Bytes = Bytes()) {
            let transformer: @Sendable () -> any ConnectionTransformer =
                switch role {
                case .server: context.server
                case .client(let host): context.client(host: host)
                }
            let peer = remoteAddress?.description ?? "a peer without an address"
            upgrade(to: transformer, unread: unread) { obstacle in
                let error = TLSError(.cannotStart, "cannot start TLS with \(peer): \(obstacle.advice)")
                return SocketError(.tls, error.message, cause: error)
            }
        }
    }

    extension UpgradeObstacle {
        fileprivate var advice: String {
            switch self {
            case .alreadyTransformed: "the connection uses TLS or another transformer already"
            case .receiving: "dispose the subscription of `received` first, because it may keep plain bytes"
            case .sendingHasEnded: "this side has ended sending"
            case .streamHasEnded: "the peer has ended its stream"
            }
        }
    }
#endif
