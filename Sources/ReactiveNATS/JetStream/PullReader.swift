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
    ///
    /// Servers do not answer a request for messages of an unknown consumer, or of one without a leader. So the reader
    /// also asks whether a durable consumer exists, after each reconnect and after two missed heartbeats. Silence and
    /// refusals that may be temporary are counted as misses. Too many in a row fail the reader (Decision 0068).
    final class PullReader {
        /// The kind of consumer.
        enum Kind {
            /// A durable consumer.
            case durable(NATSConsumerSettings)
            /// An ephemeral consumer for this reader alone.
            case ephemeral(StreamStart, subject: String?)
        }

        private static let heartbeat = Duration.seconds(5)
        private static let expiry = Duration.seconds(30)
        /// The delay before a retry.
        private static let retryDelay = Duration.milliseconds(100)
        /// The maximum number of queued batches. Requests overlap if they are repeated because the server is silent, or after
        /// a reconnect. Messages above this number return to a durable consumer, and fail any other reader.
        private static let mostBatches = 8

        private let client: NATSClient
        private let core: ClientCore
        private let stream: String
        private let kind: Kind
        private let batch: Int
        private let emitter: Emitter<JetStreamMessage, NATSError>
        private let subscription: SignalSubscription

        private var state = PullState()
        /// The request about the consumer that JetStream has not answered.
        private var asking: String?
        /// The client owns it.
        private weak var feed: NATSFeed?
        private var requests = PullRequests()
        private var queue = FIFO<JetStreamMessage>()
        private var isDelivering = false
        /// The number of the last message that was received, or of the one before the first. `nil` until that is known.
        private var lastSequence: Int?
        /// The value of `lastSequence` when JetStream named the consumer.
        private var positionOfConsumer: Int?
        /// The time of the last request for messages.
        private var lastPull: LoopInstant
        /// The time of the last message or status, or of a later request.
        private var lastActivity: LoopInstant
        private var watchdog: (any Disposable)?
        private var retry: (any Disposable)?

        init(
            _ client: NATSClient,
            _ stream: String,
            _ kind: Kind,
            _ batch: Int,
            _ emitter: Emitter<JetStreamMessage, NATSError>,
            _ subscription: SignalSubscription
        ) {
            self.client = client
            core = client.core.value
            self.stream = stream
            self.kind = kind
            self.batch = min(max(1, batch), 1 << 30)
            self.emitter = emitter
            self.subscription = subscription
            lastActivity = core.loop.now
            lastPull = lastActivity
        }

        // MARK: Starting and stopping

        /// Starts the reader, which the client then retains.
        func start() {
            if subscription.isDisposed { return }
            let reader = UnsafeTransfer(Weak(self))
            watchdog = core.loop.schedule(
                at: core.loop.now + Self.heartbeat,
                repeating: .fixedRate(Self.heartbeat),
                options: TimerOptions(keepsLoopAlive: false)
            ) { reader.value.object?.checkHeartbeat() }
            create()
        }

        func stop() {
            if state.isOver { return }
            let consumer = state.end()
            watchdog?.dispose()
            // The response names an ephemeral consumer, which must then be deleted.
            if case .durable = kind, let asking { core.inbox.forget(asking, core) }
            if case .durable = kind { returnMessages() }
            remove(consumer)
        }

        /// Returns undelivered messages to the consumer now, not after the acknowledgement timeout. `receive` returns those
        /// that are on their way. The subscription ends first: the server would send the same messages again.
        private func returnMessages() {
            if let feed { core.drain(feed) }
            feed = nil
            while let message = queue.popFirst() { message.reject() }
        }

        private func fail(_ error: NATSError) {
            if state.isOver { return }
            stop()
            emitter.fail(error)
        }

        // MARK: The consumer

        private func create() {
            remove(state.create())
            // The consumer's deletion may have been refused, and an observer of the refusal may have stopped the reader.
            if state.isOver { return }
            listen()
            lastActivity = core.loop.now
            let name: String
            let settings: [String: JSONValue]
            switch kind {
            case .durable(let durable):
                name = "CONSUMER.DURABLE.CREATE.\(stream).\(durable.name)"
                settings = durable.json
            case .ephemeral(let start, let subject):
                name = "CONSUMER.CREATE.\(stream)"
                var json = (lastSequence.map { .sequence($0 + 1) } ?? start).json
                json["ack_policy"] = .string("none")
                json["mem_storage"] = .bool(true)
                json["inactive_threshold"] = .integer(WireInteger(Duration.seconds(60).saturatedNanoseconds))
                if let subject { json["filter_subject"] = .string(subject) }
                settings = json
            }
            let (reader, core, stream) = (UnsafeTransfer(Weak(self)), UnsafeTransfer(core), stream)
            let question = JetStream.creation(stream, settings)
            asking = JetStream.ask(name, question, isLimited: false, core.value) { result in
                if let reader = reader.value.object, !reader.state.isOver { return reader.didCreate(result) }
                // The reader has stopped. A durable consumer stays, but an ephemeral one must be deleted here.
                guard settings["durable_name"] == nil, case .success(let json) = result else { return }
                if let name = json["name"]?.string { Self.delete(name, stream, core.value) }
            }
        }

        /// Re-creates the consumer because a message is missing, for example after a change of servers. Without any
        /// progress since the last time, the server would be asked as fast as it answers.
        private func createAgain() {
            if lastSequence != positionOfConsumer { return create() }
            remove(state.create())
            if state.isOver { return }
            // Reports the end of the client, and a new connection.
            listen()
            didRefuse(NATSError(.malformed, "reading \(stream): the consumer omits messages"))
        }

        private func didCreate(_ result: Result<JSONValue, NATSError>) {
            asking = nil
            switch result {
            case .success(let json):
                guard let name = json["name"]?.string else {
                    return fail(NATSError(.malformed, "JetStream's response names no consumer: \(json.text)"))
                }
                // The server starts after the end of a stream that lacks the next number. Numbers never decrease, but a
                // server of a cluster may receive the last messages later than the others.
                let position = json["delivered"]?["stream_seq"]?.integer(in: DeliveryPosition.numbers)
                if let position, let lastSequence, position < lastSequence {
                    Self.delete(name, stream, core)
                    let why = "reading \(stream): the stream that has its name now ends before message \(lastSequence)"
                    return didRefuse(NATSError(.streamMissing, why))
                }
                // `.new` and `.last` depend on the time: a later consumer must not skip what has been stored meanwhile.
                if case .ephemeral = kind, lastSequence == nil { lastSequence = position }
                positionOfConsumer = lastSequence
                state.didCreate(name)
                pull()
            case .failure(let error):
                if state.phase == .starting || !error.mayBeTemporary { return fail(error) }
                // Without a connection JetStream has not missed the request. The next one repeats it.
                if core.isUp { didRefuse(error) }
            }
        }

        /// Stops receiving, and deletes an ephemeral consumer, which would otherwise expire later.
        private func remove(_ consumer: String?) {
            retry?.dispose()
            retry = nil
            if let feed { core.remove(feed) }
            feed = nil
            if case .ephemeral = kind, let consumer, core.isUp { Self.delete(consumer, stream, core) }
        }

        private static func delete(_ consumer: String, _ stream: String, _ core: ClientCore) {
            _ = JetStream.ask("CONSUMER.DELETE.\(stream).\(consumer)", nil, isLimited: false, core) { _ in }
        }

        /// Subscribes to new reply subjects for each consumer, so that late messages of an earlier one are ignored. The
        /// feed retains this object.
        private func listen() {
            requests = PullRequests()
            let feed = NATSFeed(
                requests.replies,
                onMessage: { self.receive($0) },
                onEnd: { self.fail($0) },
                onUp: { self.linkIsUp() }
            )
            self.feed = feed
            core.add(feed)
        }

        // MARK: Asking again

        private func linkIsUp() {
            state.didConnect()
            askAgain()
        }

        /// Repeats the requests that a broken connection or a silent server has lost.
        private func askAgain() {
            guard core.isUp, !state.isOver else { return }
            guard case .durable(let durable) = kind else {
                if asking == nil { create() }
                return
            }
            requests.replaceAll()
            pull()
            if asking == nil { askWhetherItExists(durable.name) }
        }

        /// Fails if a durable consumer or its stream is missing. A durable consumer is not re-created, because it would
        /// redeliver everything.
        private func askWhetherItExists(_ name: String) {
            let reader = UnsafeTransfer(Weak(self))
            asking = JetStream.ask("CONSUMER.INFO.\(stream).\(name)", nil, isLimited: false, core) { result in
                guard let reader = reader.value.object else { return }
                reader.asking = nil
                // A missing answer does not count as a miss. The request for messages counts, because the consumer's
                // leader answers both.
                if case .failure(let error) = result, !error.mayBeTemporary { reader.fail(error) }
            }
        }

        /// Asks again if JetStream has been silent for two heartbeats.
        private func checkHeartbeat() {
            guard core.isUp, retry == nil, state.hasStarted, core.loop.now - lastActivity > Self.heartbeat * 2
            else { return }
            if requests.outstanding > 0 {
                miss(NATSError(.timedOut, "reading \(stream): JetStream sends neither messages nor heartbeats"))
            } else if subscription.isPauseReported {
                return
            }
            askAgain()
        }

        /// Counts a request that JetStream has left unanswered, or has refused for now.
        private func miss(_ error: NATSError) {
            if !state.miss() { fail(error) }
        }

        /// Asks again after a refusal: soon after the first one, and at the pace of `checkHeartbeat` after later ones.
        private func didRefuse(_ error: NATSError) {
            requests.replaceAll()
            if retry != nil || state.isOver { return }
            let isFirst = state.misses == 0
            miss(error)
            if isFirst { wait { $0.askAgain() } }
        }

        /// Does something after a delay, unless the consumer is replaced before.
        private func wait(_ retrying: @escaping (PullReader) -> Void) {
            let confined = UnsafeTransfer((reader: Weak(self), retrying: retrying))
            retry = core.loop.schedule(after: Self.retryDelay) {
                guard let reader = confined.value.reader.object else { return }
                reader.retry = nil
                confined.value.retrying(reader)
            }
        }

        // MARK: Messages

        /// Requests as many messages as the queue has room for.
        private func pull() {
            guard let consumer = state.consumer, core.isUp, retry == nil, !subscription.isPauseReported
            else { return }
            let outstanding = requests.outstanding
            let room = batch - queue.count - outstanding
            guard room > 0, room >= batch / 2 else { return }
            lastPull = core.loop.now
            if outstanding == 0 { lastActivity = lastPull }
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
            core.publish(NATSMessage(Bytes(question.text), to: subject, reply: requests.add(room)), ticket)
        }

        private func receive(_ message: NATSMessage) {
            guard state.consumer != nil else {
                if state.isOver, case .durable = kind { JetStreamMessage(message, client)?.reject() }
                return
            }
            lastActivity = core.loop.now
            guard var message = JetStreamMessage(message, client) else { return receiveOther(message) }
            requests.receive()
            if case .ephemeral = kind {
                guard message.consumerSequence == requests.received else { return createAgain() }
            } else if let lastSequence, message.sequence <= lastSequence {
                message.markRedelivered()
            }
            state.didReceive()
            lastSequence = max(lastSequence ?? 0, message.sequence)
            if !subscription.isPauseReported, queue.isEmpty {
                emitter.send(message)
                return pull()
            }
            if queue.count < Self.mostBatches * batch { return queue.append(message) }
            // Each of several reconnects during a pause leaves a request at the server, until it expires.
            if case .durable = kind {
                message.reject(for: Self.expiry)
            } else {
                fail(NATSError(.malformed, "reading \(stream): the server sends more messages than were requested"))
            }
        }

        private func receiveOther(_ message: NATSMessage) {
            if let reply = message.reply, DeliveryPosition.isClaimed(by: reply) {
                return fail(NATSError(.malformed, "reading \(stream): malformed position \(reply)"))
            }
            switch PullStatus(message.headers) {
            case .idle: state.didReceive()
            case .isOver:
                state.didReceive()
                requests.expire(message.subject)
                // A request expires after half a minute. A server that ends each one at once is asked slowly.
                if core.loop.now - lastPull >= Self.retryDelay { return pull() }
                if retry == nil { wait { $0.pull() } }
            case .consumerHasGone:
                // A replaced request does not count. The server answers its replacement too.
                guard requests.isCurrent(message.subject) else { return }
                // The consumer may have been deleted, or may not be known yet. A retry distinguishes these cases.
                let status = message.headers["Status"] ?? ""
                let why = "reading \(stream): JetStream refuses: \(status) \(message.headers["Description"] ?? "")"
                didRefuse(NATSError(status == "503" ? .noJetStream : .refused, why))
            case .unknown: return
            }
        }

        /// Delivers queued messages and requests more. Called after a resume, possibly from inside a delivery.
        func deliver() {
            if isDelivering || state.isOver { return }
            isDelivering = true
            defer { isDelivering = false }
            while !subscription.isPauseReported, !subscription.isDisposed, let message = queue.popFirst() {
                emitter.send(message)
            }
            pull()
        }
    }
#endif
