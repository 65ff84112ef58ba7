// SPDX-License-Identifier: MIT
#if NATS
    import CNats
    import COpenSSL
    import Glibc
    import ReactiveSupport

    /// The TLS sessions that nats.c creates.
    ///
    /// nats.c treats TLS like a blocking socket (Decision 0021). It waits for the end of a handshake without a limit, and
    /// gives no access to the socket. Later, it waits in `poll(2)`, also without a limit, until a whole record has been read
    /// or written. On a loop that would stop everything else.
    ///
    /// OpenSSL calls back when it creates a session, and when the handshake of the session begins and ends. With that, this
    /// type lets the link interrupt a handshake, and makes reading and writing return immediately (`reactive_prompt_insert`).
    ///
    /// Safe: OpenSSL passes valid sessions to its callbacks. The link of a session outlives it, because nats.c retains the
    /// link until the connection has been destroyed.
    enum NATSSessions {
        /// Calls `connect`. The sessions that this thread creates meanwhile are those of `link`.
        static func adopt(_ link: NATSLink, whileCalling connect: () -> natsStatus) -> natsStatus {
            guard index >= 0 else { return NATS_NO_MEMORY }
            unsafe pthread_setspecific(key, Unmanaged.passUnretained(link).toOpaque())
            defer {
                pthread_setspecific(key, nil)
                link.handshakeEnded()
            }
            return connect()
        }

        /// The key of the link for which a thread connects.
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            unsafe pthread_key_create(&key, nil)
            return key
        }()

        /// The index of a session's link. OpenSSL calls the closure for each new session of the process.
        private static let index = unsafe CRYPTO_get_ex_new_index(
            CRYPTO_EX_INDEX_SSL,
            0,
            nil,
            { session, _, data, index, _, _ in
                guard let link = unsafe pthread_getspecific(key), let session = unsafe session else { return }
                unsafe CRYPTO_set_ex_data(data, index, link)
                unsafe SSL_set_info_callback(OpaquePointer(session)) { session, place, _ in
                    guard let session = unsafe session else { return }
                    unsafe NATSSessions.changed(session, place)
                }
            },
            nil,
            nil
        )

        /// The kind of BIO that never waits.
        private static let prompt = unsafe UnsafeTransfer(reactive_prompt_method())

        private static func changed(_ session: OpaquePointer, _ place: Int32) {
            guard let data = unsafe SSL_get_ex_data(session, index) else { return }
            let link = unsafe Unmanaged<NATSLink>.fromOpaque(data).takeUnretainedValue()
            if place & SSL_CB_HANDSHAKE_START != 0 {
                unsafe link.handshakeBegan(on: SSL_get_fd(session))
            } else if place & SSL_CB_HANDSHAKE_DONE != 0 {
                unsafe SSL_set_info_callback(session, nil)
                // Without memory, the connection ends, because it would block the loop.
                if unsafe reactive_prompt_insert(session, prompt.value) == 0 { link.interrupt() }
                link.handshakeEnded()
            }
        }
    }
#endif
