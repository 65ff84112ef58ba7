// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSupport

    /// The last session with each host, for clients.
    final class SessionCache: Sendable {
        /// The maximum number of hosts. Beyond it, the session of some other host is dropped.
        static let limit = 1_000

        private let sessions = Lock<[String: StoredSession]>([:])

        func store(_ session: StoredSession, for host: String) {
            sessions.withLock { sessions in
                sessions[host] = session
                guard sessions.count > Self.limit else { return }
                if let other = sessions.keys.first(where: { $0 != host }) { sessions[other] = nil }
            }
        }

        /// Returns the last session with a host. A session of TLS 1.3 is removed, because it is used only once (RFC 8446
        /// appendix C.4).
        func take(for host: String) -> StoredSession? {
            sessions.withLock { sessions in
                let last = sessions[host]
                if last?.isSingleUse == true { sessions[host] = nil }
                return last
            }
        }
    }

    /// A session that a client can resume.
    ///
    /// Safe: this object owns one reference, which `deinit` releases.
    @safe
    final class StoredSession: Sendable {
        private let session: UnsafeTransfer<OpaquePointer>

        /// Takes over the caller's reference.
        init(_ session: OpaquePointer) { unsafe self.session = UnsafeTransfer(session) }

        deinit { unsafe SSL_SESSION_free(session.value) }

        var isSingleUse: Bool { unsafe SSL_SESSION_get_protocol_version(session.value) == TLS1_3_VERSION }

        /// Lets a handshake resume the session.
        func resume(in connection: OpaquePointer) { unsafe SSL_set_session(connection, session.value) }
    }
#endif
