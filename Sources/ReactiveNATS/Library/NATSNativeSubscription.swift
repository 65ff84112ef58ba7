#if NATS
    import CNats
    import Glibc
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// A subscription of nats.c's that nobody waits on: the loop takes what has come. It belongs to the loop, but for `deinit`.
    ///
    /// Safe: this object owns the subscription, which is destroyed once, by `end` or `deinit`.
    @safe
    final class NATSNativeSubscription {
        private var subscription: OpaquePointer?
        private let pool: WorkerPool
        private let subject: String
        /// Whether messages are to be taken here; else nats.c hands them over.
        private let isPulled: Bool
        /// Most messages of a subscription have the subject of the one before.
        private var lastSubject: String
        /// Messages whose headers nats.c could not read, since somebody last asked: one with an empty value is enough.
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
            // It asks for the connection's lock, which is held for as long as an attempt to connect takes.
            let confined = unsafe UnsafeTransfer(subscription)
            pool.execute { unsafe natsSubscription_Destroy(confined.value) }
        }

        /// Ends it here and now: the link is up.
        func end() {
            unsafe natsSubscription_Destroy(subscription)
            unsafe subscription = nil
        }

        /// The next message that has come, if one has.
        func next() -> NATSMessage? {
            guard isPulled, let subscription = unsafe subscription else { return nil }
            var message: OpaquePointer?
            var status = NATS_SLOW_CONSUMER
            while status == NATS_SLOW_CONSUMER { status = unsafe natsSubscription_NextMsg(&message, subscription, 0) }
            // nats.c keeps that message to itself; its subject is known where there is only one.
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

        /// How many messages have come with headers that could not be read, since it was last asked.
        func takeUnreadable() -> Int {
            defer { unreadable = 0 }
            return unreadable
        }
    }
#endif
