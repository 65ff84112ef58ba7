// SPDX-License-Identifier: MIT
#if NATS
    public import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    extension NATSClient {
        /// The JetStream interface of the client: streams, acknowledged publishing, consumers.
        public var jetStream: JetStream { JetStream(client: self) }
    }

    /// The JetStream interface of a client, which it retains.
    ///
    /// No call blocks. A request without a response is sent again after a reconnect.
    public struct JetStream: Sendable {
        let client: NATSClient

        // MARK: Streams

        /// Creates a stream for each subscription. An existing stream with the same settings is no error; other
        /// settings fail with `refused`.
        public func create(_ settings: NATSStreamSettings) -> Signal<NATSStreamInfo, NATSError> {
            info(api("STREAM.CREATE.\(settings.name)", settings.json))
        }

        /// Changes a stream's settings for each subscription. The server refuses some changes.
        public func update(_ settings: NATSStreamSettings) -> Signal<NATSStreamInfo, NATSError> {
            info(api("STREAM.UPDATE.\(settings.name)", settings.json))
        }

        /// Requests the state of a stream. It fails with `streamMissing` if the stream does not exist.
        public func stream(_ name: String) -> Signal<NATSStreamInfo, NATSError> {
            info(api("STREAM.INFO.\(name)"))
        }

        /// Deletes a stream and all its messages.
        public func deleteStream(_ name: String) -> Signal<Never, NATSError> {
            api("STREAM.DELETE.\(name)").ignoreValues()
        }

        /// Creates or changes a consumer for each subscription. ``consume(_:_:batch:)`` creates its consumer itself.
        public func create(_ consumer: NATSConsumerSettings, of stream: String) -> Signal<Never, NATSError> {
            api("CONSUMER.DURABLE.CREATE.\(stream).\(consumer.name)", Self.creation(stream, consumer.json))
                .ignoreValues()
        }

        /// Deletes a consumer and its acknowledgement state.
        public func deleteConsumer(_ name: String, of stream: String) -> Signal<Never, NATSError> {
            api("CONSUMER.DELETE.\(stream).\(name)").ignoreValues()
        }

        static func creation(_ stream: String, _ consumer: [String: JSONValue]) -> JSONValue {
            .object(["stream_name": .string(stream), "config": .object(consumer)])
        }

        private func info(_ answer: Signal<JSONValue, NATSError>) -> Signal<NATSStreamInfo, NATSError> {
            answer.attemptMap { (json) throws(NATSError) in
                guard let info = NATSStreamInfo(json) else {
                    throw NATSError(.malformed, "JetStream's response describes no stream: \(json.text)")
                }
                return info
            }
        }

        // MARK: Publishing

        /// Publishes a message to the stream that stores its subject, and sends the stream's acknowledgement. It
        /// publishes without waiting for a subscription, so the result may be ignored.
        ///
        /// If the connection breaks first, the message is published again after a reconnect. The stream recognises it
        /// by its `id` within `duplicateWindow` (``NATSPublishAck/isDuplicate``). A nil `id` uses a random one.
        ///
        /// While the stream has no leader, the message is published again. The same applies if the server has processed it,
        /// and the stream does not acknowledge it within three seconds. The signal fails with `streamMissing` if no stream
        /// stores the subject, with `noJetStream`, `timedOut` or `refused`, and as ``NATSClient/publish(_:)`` does. A failure
        /// that nothing receives is reported as an `UnhandledFailure`.
        @discardableResult
        public func publish(
            _ message: NATSMessage,
            id: String? = nil,
            timeout: Duration = .seconds(10)
        ) -> Signal<NATSPublishAck, NATSError> {
            publish(message, id, timeout, isLimited: true)
        }

        private func publish(
            _ message: NATSMessage,
            _ id: String?,
            _ timeout: Duration,
            isLimited: Bool
        ) -> Signal<NATSPublishAck, NATSError> {
            let ack = ReplaySubject<NATSPublishAck, NATSError>(limit: 1)
            var message = message
            message.headers["Nats-Msg-Id"] = id ?? RequestInbox.randomName()
            ask(message, timeout, isLimited: isLimited) { [core = client.core] (result) in
                switch result.flatMap({ Self.ack($0) }) {
                case .success(let value):
                    ack.send(value)
                    ack.complete()
                case .failure(let error) where error.isRefusalByClient && core.value.events.hasBeenObserved:
                    ack.fail(error)
                case .failure(let error):
                    ack.fail(error, unlessObserved: UnobservedFailure(error, of: "JetStream.publish"))
                }
            }
            return ack.signal
        }

        /// Publishes a payload, like ``publish(_:id:timeout:)``.
        @discardableResult
        public func publish(_ payload: Bytes, to subject: String, id: String? = nil) -> Signal<
            NATSPublishAck, NATSError
        > {
            publish(NATSMessage(payload, to: subject), id: id)
        }

        /// Publishes all messages of `source` for each subscription, and sends the acknowledgements as they arrive.
        ///
        /// While `limit` messages are unacknowledged, `source` is paused, so `reconnectBuffer` does not limit them. The first
        /// failure fails the signal. A message that is published again may be stored after later ones. With a `limit` of 1, the
        /// stream stores all in order.
        public func publish(
            from source: some SignalSource<NATSMessage, NATSError>,
            underWay limit: Int = 256,
            timeout: Duration = .seconds(10)
        ) -> Signal<NATSPublishAck, NATSError> {
            // On the loop, so that messages keep their order.
            Signal(source).observe(on: client.loop, limit: limit)
                .flatMap(.concurrent(limit: limit)) { publish($0, nil, timeout, isLimited: false) }
        }

        private static func ack(_ answer: NATSMessage) -> Result<NATSPublishAck, NATSError> {
            let malformed = "malformed response of a stream"
            return json(of: answer, "publishing", malformed).flatMap { json in
                guard let stream = json["stream"]?.string,
                    let sequence = json["seq"]?.integer(in: DeliveryPosition.numbers)
                else { return .failure(NATSError(.malformed, "\(malformed): \(json.text)")) }
                let isDuplicate = json["duplicate"]?.bool ?? false
                return .success(NATSPublishAck(stream: stream, sequence: sequence, isDuplicate: isDuplicate))
            }
        }

        private func ask(
            _ message: NATSMessage,
            _ timeout: Duration,
            isLimited: Bool,
            _ completion: @escaping @Sendable (Result<NATSMessage, NATSError>) -> Void
        ) {
            if let error = client.loop.refusal(as: NATSError.self) { return completion(.failure(error)) }
            client.loop.runOrExecute {
                let end = client.loop.now + timeout
                Publication(
                    client: client,
                    message: message,
                    isLimited: isLimited,
                    end: end,
                    completion: completion
                ).ask()
            }
        }
    }
#endif
