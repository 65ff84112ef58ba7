#if NATS
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    extension NATSClient {
        /// What the server keeps: streams, publishing that is acknowledged, consumers.
        public var jetStream: JetStream { JetStream(client: self) }
    }

    /// JetStream by way of one client: it keeps the client.
    ///
    /// JetStream's interface is requests and messages of NATS, and so it is used here: nothing waits, and what was asked and
    /// not answered when a connection broke is asked again by the next one.
    public struct JetStream: Sendable {
        let client: NATSClient

        // MARK: Streams

        /// Makes a stream for each subscription; the same one again is no error, one with other settings is (`refused`).
        public func create(_ settings: NATSStreamSettings) -> Signal<NATSStreamInfo, NATSError> {
            info(api("STREAM.CREATE.\(settings.name)", settings.json))
        }

        /// Changes a stream's settings, as far as the server allows it.
        public func update(_ settings: NATSStreamSettings) -> Signal<NATSStreamInfo, NATSError> {
            info(api("STREAM.UPDATE.\(settings.name)", settings.json))
        }

        /// What a stream has; `streamMissing` where there is none of that name.
        public func stream(_ name: String) -> Signal<NATSStreamInfo, NATSError> {
            info(api("STREAM.INFO.\(name)"))
        }

        /// Deletes a stream and everything in it.
        public func deleteStream(_ name: String) -> Signal<Never, NATSError> {
            api("STREAM.DELETE.\(name)").ignoreValues()
        }

        /// Makes a consumer for each subscription, or changes it: ``consume(_:_:batch:)`` does so itself.
        public func create(_ consumer: NATSConsumerSettings, of stream: String) -> Signal<Never, NATSError> {
            api("CONSUMER.DURABLE.CREATE.\(stream).\(consumer.name)", Self.creation(stream, consumer.json))
                .ignoreValues()
        }

        /// Deletes a consumer: what it has not acknowledged is forgotten.
        public func deleteConsumer(_ name: String, of stream: String) -> Signal<Never, NATSError> {
            api("CONSUMER.DELETE.\(stream).\(name)").ignoreValues()
        }

        static func creation(_ stream: String, _ consumer: [String: JSONValue]) -> JSONValue {
            .object(["stream_name": .string(stream), "config": .object(consumer)])
        }

        private func info(_ answer: Signal<JSONValue, NATSError>) -> Signal<NATSStreamInfo, NATSError> {
            answer.attemptMap { (json) throws(NATSError) in
                guard let info = NATSStreamInfo(json) else {
                    throw NATSError(.malformed, "JetStream's answer: \(json.text)")
                }
                return info
            }
        }

        // MARK: Publishing

        /// Publishes a message to the stream that takes its subject, and sends what the stream says: then the message is kept,
        /// whatever becomes of the server's process. It starts at once; the result may be let go of, and kept.
        ///
        /// Where the connection breaks first, it is published again by the next one. Its `id` tells the stream that it is the
        /// same message (``NATSPublishAck/isDuplicate``), for as long as the stream's `duplicateWindow`; nil takes one of this
        /// client's. It fails with `streamMissing` where no stream takes the subject, with `timedOut`, `refused` and as
        /// ``NATSClient/publish(_:)`` does.
        @discardableResult
        public func publish(
            _ message: NATSMessage,
            id: String? = nil,
            timeout: Duration = .seconds(10)
        ) -> Signal<NATSPublishAck, NATSError> {
            let ack = ReplaySubject<NATSPublishAck, NATSError>(limit: 1)
            var message = message
            message.headers["Nats-Msg-Id"] = id ?? Inbox.randomName()
            ask(message, timeout) { (result) in
                switch result.flatMap({ Self.ack($0) }) {
                case .success(let value):
                    ack.send(value)
                    ack.complete()
                case .failure(let error): ack.fail(error)
                }
            }
            return ack.signal
        }

        /// Publishes some bytes; the same as ``publish(_:id:timeout:)``.
        @discardableResult
        public func publish(_ payload: Bytes, to subject: String, id: String? = nil) -> Signal<
            NATSPublishAck, NATSError
        > {
            publish(NATSMessage(payload, to: subject), id: id)
        }

        /// Publishes everything that `source` sends, for each subscription, and sends what the stream says of each, as the
        /// answers come.
        ///
        /// At most `limit` messages are under way at a time; then `source` is held back. The first that fails ends it.
        public func publish(
            from source: Signal<NATSMessage, NATSError>,
            underWay limit: Int = 256,
            timeout: Duration = .seconds(10)
        ) -> Signal<NATSPublishAck, NATSError> {
            // On the loop, so that none overtakes one that is on its way there.
            source.observe(on: client.loop, limit: limit)
                .flatMap(.concurrent(limit: limit)) { publish($0, timeout: timeout) }
        }

        private static func ack(_ answer: NATSMessage) -> Result<NATSPublishAck, NATSError> {
            guard let json = JSONReader.value(of: answer.payload) else {
                return .failure(NATSError(.malformed, "a stream's answer: \(answer.payload)"))
            }
            if let error = failure(json, "publishing") { return .failure(error) }
            guard let stream = json["stream"]?.string, let sequence = json["seq"]?.integer(in: DeliveryPlace.numbers)
            else {
                return .failure(NATSError(.malformed, "a stream's answer: \(json.text)"))
            }
            let isDuplicate = json["duplicate"]?.bool ?? false
            return .success(NATSPublishAck(stream: stream, sequence: sequence, isDuplicate: isDuplicate))
        }

        private func ask(
            _ message: NATSMessage,
            _ timeout: Duration,
            _ tell: @escaping @Sendable (Result<NATSMessage, NATSError>) -> Void
        ) {
            if let over = client.loop.overError { return tell(.failure(over)) }
            client.loop.runOrExecute { [core = client.core] in
                _ = core.value.inbox.ask(message, within: timeout, isAskedAgain: true, core.value) { result in
                    tell(
                        result.mapError { error in
                            guard error.code == .noResponders else { return error }
                            let why = "publishing to \(message.subject): no stream takes it"
                            return NATSError(.streamMissing, why)
                        }
                    )
                }
            }
        }
    }
#endif
