#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Takes messages of a stream out of a consumer: so many are asked for as there is room, and none during a pause. It belongs
    /// to the client's loop.
    ///
    /// A consumer of its own, without a name, needs no acknowledgement: what is missing shows in its numbers, and a new one is
    /// made behind the last message that came in order; so also when the server is another one.
    final class PullReader {
        /// Whose consumer it is.
        enum Kind {
            /// One that the server keeps.
            case kept(NATSConsumerSettings)
            /// One for this reader alone.
            case own(StreamStart, subject: String?)
        }

        private static let heartbeat = Duration.seconds(5)
        private static let expiry = Duration.seconds(30)
        /// How long to wait before something that failed is tried again.
        private static let retryDelay = Duration.milliseconds(100)
        /// How many batches may wait: requests overlap where they are made anew after a silence, and a server that sends more
        /// sends what nobody has asked for.
        private static let mostBatches = 8

        private let client: NATSClient
        private let core: ClientCore
        private let stream: String
        private let kind: Kind
        private let batch: Int
        private let emitter: Emitter<JetStreamMessage, NATSError>
        private let subscription: SignalSubscription
        private let isPaused: ToldPause

        private var consumer: String?
        private var creating: String?
        private var feed: NATSFeed?
        private var reply = ""
        private var queue = FIFO<JetStreamMessage>()
        private var isDelivering = false
        /// How many messages have been asked for and have not come.
        private var outstanding = 0
        private var lastSequence = 0
        private var nextInConsumer = 1
        private var lastHeard: LoopInstant
        private var watchdog: (any Disposable)?
        private var isOver = false

        init(
            _ client: NATSClient,
            _ stream: String,
            _ kind: Kind,
            _ batch: Int,
            _ emitter: Emitter<JetStreamMessage, NATSError>,
            _ subscription: SignalSubscription,
            _ isPaused: ToldPause
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

        // MARK: Beginning and ending

        func start() {
            if subscription.isDisposed { return }
            let reader = UnsafeTransfer(Weak(self))
            core.upListeners[ObjectIdentifier(self)] = { reader.value.object?.linkIsUp() }
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
            core.upListeners[ObjectIdentifier(self)] = nil
            watchdog?.dispose()
            // The answer names a consumer of the reader's own, which is deleted then.
            if case .kept = kind, let creating { core.inbox.forget(creating) }
            // What was taken and not delivered is for others, now and not when its time is up.
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
                // The reader has been stopped. A kept consumer stays, one of its own has nobody else to delete it.
                guard settings["durable_name"] == nil, case .success(let json) = result else { return }
                if let name = json["name"]?.string { Self.delete(name, stream, core.value) }
            }
        }

        private func didCreate(_ result: Result<JSONValue, NATSError>) {
            creating = nil
            switch result {
            case .success(let json):
                guard let name = json["name"]?.string else {
                    return fail(NATSError(.malformed, "JetStream's answer: \(json.text)"))
                }
                consumer = name
                outstanding = 0
                nextInConsumer = 1
                pull()
            case .failure(let error): fail(error)
            }
        }

        /// Lets go of a consumer of its own; it would go by itself, after a while.
        private func removeConsumer() {
            if let feed { core.remove(feed) }
            feed = nil
            if case .own = kind, let consumer, core.isUp { Self.delete(consumer, stream, core) }
            consumer = nil
        }

        private static func delete(_ consumer: String, _ stream: String, _ core: ClientCore) {
            _ = JetStream.ask("CONSUMER.DELETE.\(stream).\(consumer)", nil, core) { _ in }
        }

        /// Each consumer has a place for replies of its own: what comes late of one before is not heard.
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

        /// Where nothing is heard although something is expected, it is asked for anew.
        private func lookAfter() {
            guard core.isUp, consumer != nil, outstanding > 0 else { return }
            if core.loop.now - lastHeard > Self.heartbeat * 2 { linkIsUp() }
        }

        // MARK: Messages

        /// Asks for as many as there is room for.
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
            let ticket = PublishTicket()
            core.publish(NATSMessage(Bytes(question.text), to: subject, reply: reply), ticket)
            // The server named the consumer: for some names there is no subject, and asking again changes nothing.
            if case .refused(let error) = ticket.state, [.invalidSubject, .subjectTooLong].contains(error.code) {
                fail(error)
            }
        }

        private func receive(_ message: NATSMessage) {
            if isOver { return }
            lastHeard = core.loop.now
            guard var message = JetStreamMessage(message, client) else { return receiveOther(message) }
            outstanding = max(0, outstanding - 1)
            if case .own = kind {
                // Something has been left out, by a server that was another one: once more from there.
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
                    NATSError(.malformed, "reading \(stream): the server sends more messages than were asked for")
                )
            }
            queue.append(message)
        }

        private func receiveOther(_ message: NATSMessage) {
            if let reply = message.reply, DeliveryPlace.isClaimed(by: reply) {
                return fail(NATSError(.malformed, "reading \(stream): the server delivers a message as \(reply)"))
            }
            switch PullStatus(message.headers, outstanding: outstanding) {
            case .idle, .unknown: return
            case .isOver(let missing):
                outstanding -= missing
                pull()
            case .consumerHasGone:
                // Whether it can be made again says whether it has gone, or nobody knows of it yet.
                outstanding = 0
                let reader = UnsafeTransfer(Weak(self))
                core.loop.schedule(after: Self.retryDelay) { reader.value.object?.consumerHasGone() }
            }
        }

        private func consumerHasGone() {
            if isOver || creating != nil { return }
            guard core.isUp, case .kept(let kept) = kind else {
                if core.isUp { create() }
                return
            }
            // A kept one is not made again: it would begin anew, and deliver everything once more.
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

        /// Delivers what has waited, and asks for more; called when a pause has ended, also from inside a delivery.
        func deliver() {
            if isDelivering || isOver { return }
            isDelivering = true
            defer { isDelivering = false }
            while !isPaused.value, !subscription.isDisposed, let message = queue.popFirst() { emitter.send(message) }
            pull()
        }
    }
#endif
