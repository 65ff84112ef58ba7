// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets

    /// A message that a stream delivers, with its position, its number of deliveries, and its acknowledgement.
    public struct JetStreamMessage: Sendable {
        /// The published message.
        public let message: NATSMessage
        /// The name of the stream.
        public let stream: String
        /// The name of the consumer that delivers the message.
        public let consumer: String
        /// The sequence number in the stream.
        public let sequence: Int
        /// The sequence number among the deliveries of the consumer.
        public let consumerSequence: Int
        /// The number of deliveries of the message, including this one.
        public let deliveries: Int
        /// The time at which the stream stored the message, in nanoseconds since 1970.
        public let time: Int64
        /// The number of later messages that the consumer has not delivered yet.
        public let pending: Int

        private let client: NATSClient

        /// The subject of the message.
        public var subject: String { message.subject }

        /// The payload of the message.
        public var payload: Bytes { message.payload }

        /// Whether the message was delivered before, to any subscriber. It may have been processed already.
        ///
        /// A server that was killed may have forgotten earlier deliveries, and start counting at one again.
        /// Redeliveries to this subscription are still marked.
        public private(set) var isRedelivered: Bool

        /// Parses the reply subject. Returns `nil` if the message is no delivery of a consumer.
        init?(_ message: NATSMessage, _ client: NATSClient) {
            guard let position = message.reply.flatMap({ DeliveryPosition($0) }) else { return nil }
            self.message = message
            self.client = client
            stream = position.stream
            consumer = position.consumer
            deliveries = position.deliveries
            isRedelivered = deliveries > 1
            sequence = position.sequence
            consumerSequence = position.consumerSequence
            time = position.time
            pending = position.pending
        }

        /// Marks a message that this subscription has received before.
        mutating func markRedelivered() { isRedelivered = true }

        /// Acknowledges the message, so that the consumer does not deliver it again. Any thread may call it, once.
        ///
        /// The result may be ignored. It completes when the server has received the acknowledgement. It fails with
        /// `unconfirmed` if the connection breaks first. In that case the message may be redelivered.
        @discardableResult
        public func acknowledge() -> Signal<Never, NATSError> { answer("+ACK") }

        /// Rejects the message. It is redelivered immediately or after `delay`.
        @discardableResult
        public func reject(for delay: Duration? = nil) -> Signal<Never, NATSError> {
            guard let delay else { return answer("-NAK") }
            return answer("-NAK {\"delay\":\(delay.saturatedNanoseconds)}")
        }

        /// Restarts the acknowledgement timeout, for work in progress.
        @discardableResult
        public func inProgress() -> Signal<Never, NATSError> { answer("+WPI") }

        /// Terminates the message: it is neither acknowledged nor redelivered.
        @discardableResult
        public func terminate() -> Signal<Never, NATSError> { answer("+TERM") }

        private func answer(_ text: String) -> Signal<Never, NATSError> {
            client.publish(NATSMessage(Bytes(text), to: message.reply ?? ""))
        }
    }
#endif
