#if NATS
    import CNats
    import Glibc
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// A subscription of nats.c's that nobody waits on: the loop takes what has come. It belongs to the loop, but for `deinit`.
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
            self.subscription = subscription
            self.pool = pool
            self.subject = subject
            lastSubject = subject
        }

        deinit {
            guard let subscription else { return }
            // It asks for the connection's lock, which is held for as long as an attempt to connect takes.
            let confined = Confined(subscription)
            pool.execute { natsSubscription_Destroy(confined.value) }
        }

        /// Ends it here and now: the link is up.
        func end() {
            natsSubscription_Destroy(subscription)
            subscription = nil
        }

        /// The next message that has come, if one has.
        func next() -> NATSMessage? {
            guard isPulled, let subscription else { return nil }
            var message: OpaquePointer?
            var status = NATS_SLOW_CONSUMER
            while status == NATS_SLOW_CONSUMER { status = natsSubscription_NextMsg(&message, subscription, 0) }
            // nats.c keeps that message to itself; its subject is known where there is only one.
            if status == NATS_NO_RESPONDERS { return NATSMessage(Bytes(), to: subject, headers: ["Status": "503"]) }
            guard status == NATS_OK, let message else { return nil }
            defer { natsMsg_Destroy(message) }
            if let subject = natsMsg_GetSubject(message), strcmp(subject, lastSubject) != 0 {
                lastSubject = String(cString: subject)
            }
            let (result, isReadable) = NATSMessage.copying(message, lastSubject)
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
