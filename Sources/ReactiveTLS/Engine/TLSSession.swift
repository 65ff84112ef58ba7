// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import Glibc
    import ReactiveSockets
    import ReactiveSupport

    /// The TLS session of one connection, and its transformer. OpenSSL reads and writes memory, and the connection moves
    /// the bytes. `@unchecked Sendable` is safe: only the connection's loop calls it.
    ///
    /// Safe: this object owns the session. The struct that its BIO reads and writes exists during one call of the
    /// connection, and so does the memory to which the struct points.
    @safe
    final class TLSSession: ConnectionTransformer, @unchecked Sendable {
        enum Phase {
            case handshaking
            /// The handshake waits for a later turn of the loop, or for the answer to the client's host name.
            case suspended
            case established
            /// A message of the peer that is no application data is incomplete. OpenSSL encrypts nothing before its end.
            case interrupted
            /// The peer has sent close_notify, which ended its direction, and in TLS 1.2 both.
            case peerClosed
            case failed
            /// The connection has ended. `session` has been freed.
            case ended

            /// Whether a session in this phase may enter `next`.
            func permits(_ next: Phase) -> Bool {
                switch next {
                case .handshaking: self == .suspended
                case .suspended: self == .handshaking || self == .established || self == .interrupted
                case .established: self == .handshaking || self == .interrupted
                case .interrupted: self == .established
                case .peerClosed: self == .established || self == .interrupted
                case .failed, .ended: self != .ended
                }
            }
        }

        /// The native context with which the session began, even if the certificates have been reloaded since.
        let native: NativeContext
        let role: TLSRole
        // Small fields are adjacent, because each idle connection has one of these objects.
        private(set) var phase = Phase.handshaking
        var hasFinished = false
        /// Whether the handshake has been complete. A later message of the peer may suspend the session again.
        private(set) var hasAgreed = false
        /// Whether a connection calls, and not a test.
        private var isConnected = false
        /// The context that the host name of the client has chosen. nil means ``native``.
        var chosen: NativeContext?
        /// nil after the handshake, unless bytes wait for the end of a message.
        var handshake: Handshake?
        let session: OpaquePointer
        /// What the BIO reads and writes. nil outside of a call of the connection, so that an idle session has none.
        private(set) var io: UnsafeMutablePointer<reactive_tls_io>!

        /// A fatal alert for a peer whose first bytes are no record (RFC 8446 section 5.1). OpenSSL sends none.
        private static let unexpectedMessage = Bytes([21, 3, 3, 0, 2, 2, 10])

        private static let method = unsafe UnsafeTransfer(reactive_tls_method())

        init(_ context: TLSContext, _ role: TLSRole) {
            let native = context.current
            self.native = native
            handshake = Handshake(timeout: native.configuration.handshakeTimeout)
            self.role = role
            // OpenSSL fails here only without memory.
            guard let session = unsafe SSL_new(native.pointer),
                let bio = unsafe reactive_tls_bio(Self.method.value)
            else { fatalError("out of memory for a TLS session") }
            unsafe self.session = session
            unsafe SSL_set_bio(session, bio, bio)
            switch role {
            case .server:
                unsafe SSL_set_accept_state(session)
                setVerification(of: native)
            case .client(let host):
                let verifies = native.configuration.verification == .full
                unsafe SSL_set_connect_state(session)
                unsafe SSL_set_verify(session, verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
                expect(host, verifies)
                unsafe native.cache?.take(for: host)?.resume(in: session)
            }
        }

        /// The object that owns OpenSSL's session. OpenSSL calls its callbacks only during calls of the connection.
        static func owner(of session: OpaquePointer?) -> TLSSession? {
            guard let owner = unsafe reactive_tls_owner(session) else { return nil }
            return unsafe Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue()
        }

        /// Stores a new session of a client. Returns whether this object has taken the reference.
        func keep(_ session: OpaquePointer) -> Bool {
            guard case .client(let host) = role, let cache = native.cache else { return false }
            unsafe cache.store(StoredSession(session), for: host)
            return true
        }

        /// Stores the session after a resumption in TLS 1.2, whose ticket the server may have renewed. OpenSSL reports only
        /// sessions that have not been resumed.
        private func keepRenewed() {
            guard case .client = role, native.cache != nil, !isHalfCloseable,
                unsafe SSL_session_reused(session) == 1, let renewed = unsafe SSL_get1_session(session)
            else { return }
            _ = unsafe keep(renewed)
        }

        deinit {
            if case .asked(let request) = handshake?.serverName { request.cancel() }
            if phase != .ended { freeNative() }
        }

        /// Frees OpenSSL's session, because the connection has ended. An application may retain the connection.
        func connectionEnded() {
            if phase == .ended { return }
            enter(.ended)
            freeNative()
        }

        private func freeNative() { unsafe SSL_free(session) }

        /// The only function that changes the phase.
        func enter(_ next: Phase) {
            assert(phase.permits(next), "a TLS session enters \(next) in \(phase)")
            phase = next
        }

        var info: TLSInfo? { hasAgreed && phase != .failed && phase != .ended ? unsafe TLSInfo(session) : nil }
        var heldCount: Int { handshake?.heldCount ?? 0 }
        var isShakingHands: Bool { phase == .handshaking || phase == .suspended }
        var needsInput: Bool { waitsForPeer }
        /// Whether nothing can be encrypted before more bytes of the peer have arrived.
        var waitsForPeer: Bool { isShakingHands || phase == .interrupted }
        var isSuspended: Bool { phase == .suspended }
        var inputTimeout: Duration? { handshake?.timeout }

        // MARK: Calls of the connection

        func resume(_ out: inout TransformedBytes) throws(SocketError) {
            guard phase == .suspended, let handshake else { return }
            enter(.handshaking)
            let bytes = handshake.unread
            handshake.unread = Bytes()
            try receive(bytes, &out)
        }

        func begin(_ out: inout TransformedBytes) throws(SocketError) {
            // There is no loop in tests without a connection.
            if let loop = out.loop {
                handshake?.queue = .of(loop)
                isConnected = true
                unsafe reactive_tls_count_messages(session)
            }
            if let refusal = handshake?.refusal {
                enter(.failed)
                throw error(refusal)
            }
            if case .client = role { try receive(Bytes(), &out) }
        }

        func receive(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            if phase == .suspended, let handshake {
                handshake.unread = Bytes(joining: [handshake.unread, bytes])
                return
            }
            try call { () throws(SocketError) in try read(bytes, &out) }
        }

        private func read(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            var failure: SocketError?
            unsafe bytes.withUnsafeBytes { input in
                unsafe io.pointee.input = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                unsafe io.pointee.input_count = input.count
                do throws(SocketError) {
                    try process(input.count, &out)
                } catch {
                    failure = error
                }
                yieldIfLimited(out)
                // A copy, because a few bytes would retain a large slab.
                if phase == .suspended {
                    unsafe handshake?.unread = Bytes(
                        copying: UnsafeRawBufferPointer(rebasing: input.suffix(io.pointee.input_count))
                    )
                }
                unsafe io.pointee.input = nil
                unsafe io.pointee.input_count = 0
            }
            let sendsNothing = unsafe io.pointee.spill == nil
            takeSpill(&out)
            if let failure {
                if sendsNothing, (failure.cause as? TLSError)?.code == .notTLS { out.toPeer(Self.unexpectedMessage) }
                throw failure
            }
        }

        func receiveEnd(_ out: inout TransformedBytes) throws(SocketError) {
            if phase == .peerClosed { return }
            let what = isShakingHands ? "during the handshake" : "without close_notify: bytes may be missing"
            enter(.failed)
            throw error(TLSError(.truncated, "the peer ended the connection \(what)"))
        }

        func send(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            if waitsForPeer {
                handshake?.hold(bytes)
                return
            }
            try checkSending()
            try call { () throws(SocketError) in try encrypt(bytes, &out) }
        }

        /// Throws if nothing can be sent any more.
        private func checkSending() throws(SocketError) {
            switch phase {
            case .peerClosed where !isHalfCloseable:
                throw SocketError(
                    .reset,
                    "cannot send: the peer has closed the TLS connection, in TLS 1.2 both directions"
                )
            case .failed, .ended: throw SocketError(.closed, "cannot send: TLS has failed")
            case .handshaking, .suspended, .established, .interrupted, .peerClosed: break
            }
        }

        func finishSending(_ out: inout TransformedBytes) throws(SocketError) {
            if hasFinished || phase == .failed { return }
            hasFinished = true
            try call { () throws(SocketError) in
                reactive_tls_clear_errors()
                unsafe SSL_shutdown(session)
                reactive_tls_clear_errors()
                takeSpill(&out)
            }
        }

        /// Gives the BIO a struct for the duration of `body`.
        func call(_ body: () throws(SocketError) -> Void) throws(SocketError) {
            var memory = unsafe reactive_tls_io()
            unsafe memory.owner = Unmanaged.passUnretained(self).toOpaque()
            unsafe memory.message_limit = isConnected ? UInt32(Self.messagesPerCall) : 0
            try unsafe withUnsafeMutablePointer(to: &memory) { pointer throws(SocketError) in
                unsafe io = pointer
                unsafe reactive_tls_lend(session, pointer)
                defer {
                    unsafe reactive_tls_lend(session, nil)
                    unsafe io = nil
                    unsafe free(pointer.pointee.spill)
                }
                try body()
            }
        }

        // MARK: Handshake and records

        /// Whether one direction may end before the other: since TLS 1.3 (RFC 8446 section 6.1).
        var isHalfCloseable: Bool { unsafe SSL_version(session) >= TLS1_3_VERSION }

        private func shakeHands(_ out: inout TransformedBytes) throws(SocketError) {
            if let queue = handshake?.queue, !queue.takeStep(out) {
                enter(.suspended)
                return
            }
            reactive_tls_clear_errors()
            let result = unsafe SSL_do_handshake(session)
            // In TLS 1.2 a resumption only derives keys. In TLS 1.3 it also exchanges keys.
            if unsafe SSL_session_reused(session) == 1, !isHalfCloseable { handshake?.queue?.stepWasCheap() }
            if result != 1 { try check(result) }
            if phase == .suspended { askForContext(out) }
            takeSpill(&out)
            guard result == 1 else { return }
            enter(.established)
            if !hasAgreed { keepRenewed() }
            hasAgreed = true
            try sendHeld(&out)
        }

        /// Sends the bytes that have waited for the end of the handshake or of a message.
        private func sendHeld(_ out: inout TransformedBytes) throws(SocketError) {
            if phase == .interrupted { enter(.established) }
            let waiting = handshake?.held ?? []
            handshake = nil
            for bytes in waiting {
                // After an incomplete message of the peer, the rest waits again.
                if phase == .interrupted {
                    handshake?.hold(bytes)
                } else {
                    try checkSending()
                    try encrypt(bytes, &out)
                }
            }
        }

        /// Processes `count` bytes of input.
        private func process(_ count: Int, _ out: inout TransformedBytes) throws(SocketError) {
            if phase == .handshaking { try shakeHands(&out) }
            guard phase == .established || phase == .interrupted else { return }
            var capacity = max(count, 1)
            while try decrypt(atMost: capacity, &out) { capacity = Self.recordLimit }
            if handshake != nil, unsafe SSL_in_init(session) == 0 { try sendHeld(&out) }
        }
    }
#endif
