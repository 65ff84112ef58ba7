// SPDX-License-Identifier: MIT
#if NATS
    import CNats
    import Glibc
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// A subscription of nats.c. Without a callback it needs no thread: the loop takes its messages. Only the loop calls its
    /// members, except `deinit`.
    ///
    /// Safe: this object owns the subscription, which `end` or `deinit` destroys once.
    @safe
    final class NATSNativeSubscription {
        private var subscription: OpaquePointer?
        private let pool: WorkerPool
        private let subject: String
        /// Whether the loop takes messages here. Otherwise nats.c delivers them to a callback.
        private let isPulled: Bool
        /// The previous message's subject, reused because most messages have the same one.
        private var lastSubject: String
        /// The number of messages with unreadable headers since the last query. One empty value makes all headers of a
        /// message unreadable.
        private var unreadable = 0

        init(_ subscription: OpaquePointer, _ subject: String, _ pool: WorkerPool, isPulled: Bool = true) {
            self.isPulled = isPulled
            unsafe self.subscription = subscription
            self.pool = pool
            self.subject = subject
            lastSubject = subject
        }

        deinit {
            guard let subscription = unsafe subscription else { return }
            // Destroying takes the connection's lock, which nats.c holds during an attempt to connect.
            let confined = unsafe UnsafeTransfer(subscription)
            pool.execute { unsafe natsSubscription_Destroy(confined.value) }
        }

        /// Destroys the subscription immediately. Call it only while the link is up.
        func end() {
            unsafe natsSubscription_Destroy(subscription)
            unsafe subscription = nil
        }

        /// Ends the subscription at the server. The callback still receives the messages that are on their way. Returns
        /// false if the connection has broken.
        func drain() -> Bool { unsafe natsSubscription_Drain(subscription) == NATS_OK }

        /// The next received message, or nil.
        func next() -> NATSMessage? {
            guard isPulled, let subscription = unsafe subscription else { return nil }
            var message: OpaquePointer?
            var status = NATS_SLOW_CONSUMER
            while status == NATS_SLOW_CONSUMER { status = unsafe natsSubscription_NextMsg(&message, subscription, 0) }
            // nats.c does not return this message. Its subject is known if the subscription has no wildcard.
            if status == NATS_NO_RESPONDERS { return NATSMessage(Bytes(), to: subject, headers: ["Status": "503"]) }
            guard status == NATS_OK, let message = unsafe message else { return nil }
            defer { unsafe natsMsg_Destroy(message) }
            if let subject = unsafe natsMsg_GetSubject(message), unsafe strcmp(subject, lastSubject) != 0 {
                lastSubject = unsafe String(cString: subject)
            }
            let (result, isReadable) = unsafe NATSMessage.copying(message, lastSubject)
            if !isReadable { unreadable += 1 }
            return result
        }

        /// Returns and resets the number of messages with unreadable headers.
        func takeUnreadable() -> Int {
            defer { unreadable = 0 }
            return unreadable
        }
    }
#endif
