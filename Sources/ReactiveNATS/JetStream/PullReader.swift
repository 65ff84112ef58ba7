// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Receives a stream's messages through a pull consumer. It requests as many as its queue has room for, and none
    /// during a pause. It belongs to the client's loop.
    ///
    /// A consumer for this reader alone needs no acknowledgements. A gap in its sequence numbers reveals a missing
    /// message. The reader then re-creates the consumer, which starts after the last message received in order. It does
    /// the same after a reconnect.
    final class PullReader {
        /// The kind of consumer.
        enum Kind {
            /// A durable consumer.
            case kept(NATSConsumerSettings)
            /// An ephemeral consumer for this reader alone.
            case own(StreamStart, subject: String?)
        }

        private static let heartbeat = Duration.seconds(5)
        private static let expiry = Duration.seconds(30)
        /// The delay before a retry.
        private static let retryDelay = Duration.milliseconds(100)
        /// The maximum number of queued batches. Requests that are repeated because the server is silent overlap. A
        /// server that sends more messages than this violates the protocol.
        private static let mostBatches = 8

        private let client: NATSClient
        private let core: ClientCore
        private let stream: String
        private let kind: Kind
        private let batch: Int
        private let emitter: Emitter<JetStreamMessage, NATSError>
        private let subscription: SignalSubscription
        private let isPaused: ReportedPause

        private var consumer: String?
        private var creating: String?
        private var feed: NATSFeed?
        private var reply = ""
        private var queue = FIFO<JetStreamMessage>()
        private var isDelivering = false
        /// The number of requested messages that have not arrived.
        private var outstanding = 0
        private var lastSequence = 0
        private var nextInConsumer = 1
        private var lastHeard: LoopInstant
        private var watchdog: (any Disposable)?
        private var retry: (any Disposable)?
        private var isOver = false

        init(
            _ client: NATSClient,
            _ stream: String,
            _ kind: Kind,
            _ batch: Int,
            _ emitter: Emitter<JetStreamMessage, NATSError>,
            _ subscription: SignalSubscription,
            _ isPaused: ReportedPause
        ) {
            self.client = client
            core = client.core.value
            self.stream = stream
            self.kind = kind
            self.batch = min(max(1, batch), 1 << 30)
            self.emitter = emitter
            self.subscription = subscription
            self.isPaused = isPaused
            lastHeard = core.loop.now
        }

        // MARK: Starting and stopping

        /// Starts the reader of `anchor`, which the client retains.
        static func start(_ anchor: WatchAnchor<PullReader>) { anchor.core.start(anchor) }

        private func start(_ anchor: WatchAnchor<PullReader>) {
            if subscription.isDisposed { return }
            let reader = UnsafeTransfer(Weak(self))
            core.upListeners[ObjectIdentifier(self)] = { anchor.core.linkIsUp() }
            watchdog = core.loop.schedule(
                at: core.loop.now + Self.heartbeat,
                repeating: .fixedRate(Self.heartbeat),
                options: TimerOptions(keepsLoopAlive: false)
            ) { reader.value.object?.lookAfter() }
            create()
        }

        func stop() {
            if isOver { return }
            isOver = true
            core.removeUpListener(ObjectIdentifier(self))
            watchdog?.dispose()
            // The response names an ephemeral consumer, which must then be deleted.
            if case .kept = kind, let creating { core.inbox.forget(creating) }
            // Returns undelivered messages to the consumer now, not after the acknowledgement timeout.
            if case .kept = kind { while let message = queue.popFirst() { message.reject() } }
            removeConsumer()
        }

        private func fail(_ error: NATSError) {
            if isOver { return }
            stop()
            emitter.fail(error)
        }

        // MARK: The consumer

        private func create() {
            removeConsumer()
            listen()
            let name: String
            let settings: [String: JSONValue]
            switch kind {
            case .kept(let kept):
                name = "CONSUMER.DURABLE.CREATE.\(stream).\(kept.name)"
                settings = kept.json
            case .own(let start, let subject):
                name = "CONSUMER.CREATE.\(stream)"
                var json = (lastSequence > 0 ? StreamStart.sequence(lastSequence + 1) : start).json
                json["ack_policy"] = .string("none")
                json["mem_storage"] = .bool(true)
                json["inactive_threshold"] = .integer(WireInteger(Duration.seconds(60).saturatedNanoseconds))
                if let subject { json["filter_subject"] = .string(subject) }
                settings = json
            }
            let (reader, core, stream) = (UnsafeTransfer(Weak(self)), UnsafeTransfer(core), stream)
            creating = JetStream.ask(name, JetStream.creation(stream, settings), core.value) { result in
                if let reader = reader.value.object, !reader.isOver { return reader.didCreate(result) }
                // The reader has stopped. A durable consumer stays, but an ephemeral one must be deleted here.
                guard settings["durable_name"] == nil, case .success(let json) = result else { return }
                if let name = json["name"]?.string { Self.delete(name, stream, core.value) }
            }
        }

        private func didCreate(_ result: Result<JSONValue, NATSError>) {
            creating = nil
            switch result {
            case .success(let json):
                guard let name = json["name"]?.string else {
                    return fail(NATSError(.malformed, "JetStream's response names no consumer: \(json.text)"))
                }
                consumer = name
                outstanding = 0
                nextInConsumer = 1
                pull()
            case .failure(let error): fail(error)
            }
        }

        /// Stops receiving, and deletes an ephemeral consumer, which would otherwise expire later.
        private func removeConsumer() {
            retry?.dispose()
            retry = nil
            if let feed { core.remove(feed) }
            feed = nil
            if case .own = kind, let consumer, core.isUp { Self.delete(consumer, stream, core) }
            consumer = nil
        }

        private static func delete(_ consumer: String, _ stream: String, _ core: ClientCore) {
            _ = JetStream.ask("CONSUMER.DELETE.\(stream).\(consumer)", nil, core) { _ in }
        }

        /// Subscribes to a new reply subject for each consumer, so that late messages of an earlier one are ignored.
        private func listen() {
            reply = "_INBOX.\(Inbox.randomName())"
            let reader = UnsafeTransfer(Weak(self))
            let feed = NATSFeed(
                reply,
                onMessage: { reader.value.object?.receive($0) },
                onEnd: { reader.value.object?.fail($0) }
            )
            self.feed = feed
            core.add(feed)
        }

        private func linkIsUp() {
            if isOver || creating != nil { return }
            switch kind {
            case .own: create()
            case .kept:
                outstanding = 0
                pull()
            }
        }

        /// Repeats the request if messages are outstanding but the server is silent.
        private func lookAfter() {
            guard core.isUp, consumer != nil, outstanding > 0 else { return }
            if core.loop.now - lastHeard > Self.heartbeat * 2 { linkIsUp() }
        }

        // MARK: Messages

        /// Requests as many messages as the queue has room for.
        private func pull() {
            guard let consumer, core.isUp, !isOver, !isPaused.value else { return }
            let room = batch - queue.count - outstanding
            guard room > 0, room >= batch / 2 else { return }
            if outstanding == 0 { lastHeard = core.loop.now }
            outstanding += room
            let question = JSONValue.object([
                "batch": .integer(WireInteger(room)),
                "expires": .integer(WireInteger(Self.expiry.saturatedNanoseconds)),
                "idle_heartbeat": .integer(WireInteger(Self.heartbeat.saturatedNanoseconds)),
            ])
            let subject = "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)"
            let reader = Weak(self)
            let ticket = PublishTicket(onRefusal: { error in
                // The server named the consumer. If the name makes no valid subject, a retry cannot help.
                if [.invalidSubject, .subjectTooLong].contains(error.code) { reader.object?.fail(error) }
            })
            core.publish(NATSMessage(Bytes(question.text), to: subject, reply: reply), ticket)
        }

        private func receive(_ message: NATSMessage) {
            if isOver { return }
            lastHeard = core.loop.now
            guard var message = JetStreamMessage(message, client) else { return receiveOther(message) }
            outstanding = max(0, outstanding - 1)
            if case .own = kind {
                // A message is missing, for example after a change of servers. Re-create the consumer from here.
                guard message.consumerSequence == nextInConsumer else { return create() }
                nextInConsumer += 1
            } else if message.sequence <= lastSequence {
                message.markRedelivered()
            }
            lastSequence = max(lastSequence, message.sequence)
            if !isPaused.value, queue.isEmpty {
                emitter.send(message)
                return pull()
            }
            if queue.count >= Self.mostBatches * batch {
                return fail(
                    NATSError(.malformed, "reading \(stream): the server sends more messages than were requested")
                )
            }
            queue.append(message)
        }

        private func receiveOther(_ message: NATSMessage) {
            if let reply = message.reply, DeliveryPosition.isClaimed(by: reply) {
                return fail(NATSError(.malformed, "reading \(stream): malformed position \(reply)"))
            }
            switch PullStatus(message.headers, outstanding: outstanding) {
            case .idle, .unknown: return
            case .isOver(let missing):
                outstanding -= missing
                pull()
            case .consumerHasGone:
                // The consumer may have been deleted, or may not be known yet. A retry distinguishes these cases.
                outstanding = 0
                if retry != nil { return }
                let reader = UnsafeTransfer(Weak(self))
                retry = core.loop.schedule(after: Self.retryDelay) { reader.value.object?.consumerHasGone() }
            }
        }

        private func consumerHasGone() {
            retry = nil
            if isOver || creating != nil { return }
            guard core.isUp, case .kept(let kept) = kind else {
                if core.isUp { create() }
                return
            }
            // A durable consumer is not re-created, because it would redeliver everything.
            let reader = UnsafeTransfer(Weak(self))
            creating = JetStream.ask("CONSUMER.INFO.\(stream).\(kept.name)", nil, core) { result in
                guard let reader = reader.value.object else { return }
                reader.creating = nil
                switch result {
                case .success: reader.pull()
                case .failure(let error): reader.fail(error)
                }
            }
        }

        /// Delivers queued messages and requests more. Called after a resume, possibly from inside a delivery.
        func deliver() {
            if isDelivering || isOver { return }
            isDelivering = true
            defer { isDelivering = false }
            while !isPaused.value, !subscription.isDisposed, let message = queue.popFirst() { emitter.send(message) }
            pull()
        }
    }

    extension PullReader: LoopBound {
        var loop: any LoopScheduler { core.loop }

        /// Ends the subscription. The subscription and this object retain each other.
        func abandon() { subscription.dispose() }
    }
#endif
