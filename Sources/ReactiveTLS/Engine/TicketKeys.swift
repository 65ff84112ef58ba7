// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSupport

    /// The keys of a server's session tickets. All connections of a context share them, on whatever loop they are.
    ///
    /// A key encrypts tickets for one interval. After that it only decrypts, until the last of its tickets has expired.
    /// A ticket is valid for at most one interval, so there are at most two keys. Before a
    /// handshake uses the keys, it replaces a key whose interval has passed, and drops a key that has expired.
    final class TicketKeys: Sendable {
        private struct State: Sendable {
            var current: TicketKey?
            var previous: TicketKey?
        }

        /// The longest time for which OpenSSL's own servers accept a ticket.
        private static let longestLifetime = Duration.seconds(2 * 60 * 60)
        /// The shortest interval. Tickets count whole seconds.
        static let shortestInterval = Duration.seconds(1)

        private let interval: Duration
        /// The time for which a ticket is valid.
        let lifetime: Duration
        private let now: @Sendable () -> ContinuousClock.Instant
        private let state = Lock(State())

        init(interval: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
            self.interval = interval
            lifetime = min(interval, Self.longestLifetime)
            self.now = now
        }

        /// Returns the key of a new ticket. nil means that OpenSSL has no random bytes.
        func currentKey() -> TicketKey? { upToDate().current }

        /// Returns the key that encrypted a ticket, and whether it still encrypts. nil means that there is no such key
        /// any more.
        func key(named name: UnsafeRawBufferPointer) -> (key: TicketKey, isCurrent: Bool)? {
            let keys = upToDate()
            if let current = keys.current, unsafe current.isNamed(name) { return (current, true) }
            if let previous = keys.previous, unsafe previous.isNamed(name) { return (previous, false) }
            return nil
        }

        /// Replaces keys whose time has passed, and returns the keys.
        private func upToDate() -> State {
            let time = now()
            // The caller releases the old keys, outside of the lock.
            let (old, keys) = state.withLock { state in
                let old = state
                if let current = state.current, time >= current.creation + interval {
                    (state.previous, state.current) = (current, nil)
                }
                if let previous = state.previous, time >= previous.creation + interval + lifetime {
                    state.previous = nil
                }
                if state.current == nil { state.current = TicketKey(creation: time) }
                return (old, state)
            }
            withExtendedLifetime(old) {}
            return keys
        }
    }

    /// A key that encrypts and authenticates tickets. It consists of a name, the key of a cipher, and the key of an
    /// HMAC.
    ///
    /// Safe: this object owns its memory, which does not change after `init`. `deinit` erases it.
    @safe
    final class TicketKey: Sendable {
        static let nameLength = 16
        /// Fetched once. `EVP_aes_256_cbc()` would be fetched again for each ticket.
        private static let cipher = unsafe UnsafeTransfer(EVP_CIPHER_fetch(nil, "AES-256-CBC", nil))

        let creation: ContinuousClock.Instant
        private let memory: UnsafeTransfer<UnsafeMutablePointer<reactive_tls_ticket_key>>

        /// Makes a random key. Returns nil if OpenSSL has no random bytes.
        init?(creation: ContinuousClock.Instant) {
            self.creation = creation
            unsafe memory = UnsafeTransfer(.allocate(capacity: 1))
            unsafe memory.value.initialize(to: reactive_tls_ticket_key())
            guard unsafe reactive_tls_make_ticket_key(memory.value) == 1 else {
                ERR_clear_error()
                return nil
            }
        }

        deinit {
            unsafe OPENSSL_cleanse(memory.value, MemoryLayout<reactive_tls_ticket_key>.size)
            unsafe memory.value.deallocate()
        }

        func isNamed(_ name: UnsafeRawBufferPointer) -> Bool {
            unsafe withUnsafeBytes(of: memory.value.pointee.name) { own in unsafe own.elementsEqual(name) }
        }

        func copyName(to buffer: UnsafeMutableRawBufferPointer) {
            unsafe withUnsafeBytes(of: memory.value.pointee.name) { own in unsafe buffer.copyBytes(from: own) }
        }

        /// Prepares OpenSSL to encrypt a ticket, whose vector this call makes, or to decrypt one.
        func prepare(
            _ vector: UnsafeMutablePointer<UInt8>?,
            _ cipher: OpaquePointer?,
            _ mac: OpaquePointer?,
            encrypts: Bool
        ) -> Bool {
            unsafe reactive_tls_use_ticket_key(memory.value, Self.cipher.value, vector, cipher, mac, encrypts ? 1 : 0)
                == 1
        }
    }
#endif
