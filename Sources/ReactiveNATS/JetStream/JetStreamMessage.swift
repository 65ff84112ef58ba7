#if NATS
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets

    /// A message as a stream delivers it: where in the stream it is, how often it has been delivered, and how to say that one
    /// is done with it.
    public struct JetStreamMessage: Sendable {
        /// What was published.
        public let message: NATSMessage
        /// The stream, and the consumer that it comes by.
        public let stream: String
        public let consumer: String
        /// Its number in the stream.
        public let sequence: Int
        /// Its number among everything this consumer has been sent.
        public let consumerSequence: Int
        /// How often it has been delivered, this time included.
        public let deliveries: Int
        /// When the stream got it, in nanoseconds since 1970.
        public let time: Int64
        /// How many there are behind it.
        public let pending: Int

        private let client: NATSClient

        /// Where it was published.
        public var subject: String { message.subject }

        /// What it says.
        public var payload: Bytes { message.payload }

        /// Whether it has been delivered before, to whomever: what is done with it may have been done already.
        ///
        /// A server that was killed may have forgotten that, and count from one again; what this subscriber has had is marked
        /// all the same.
        public private(set) var isRedelivered: Bool

        /// Reads what the server writes into the place for replies; nil where it is something else.
        init?(_ message: NATSMessage, _ client: NATSClient) {
            guard let place = message.reply.flatMap({ DeliveryPlace($0) }) else { return nil }
            self.message = message
            self.client = client
            stream = place.stream
            consumer = place.consumer
            deliveries = place.deliveries
            isRedelivered = deliveries > 1
            sequence = place.sequence
            consumerSequence = place.consumerSequence
            time = place.time
            pending = place.pending
        }

        /// Marks what has been delivered here before.
        mutating func markRedelivered() { isRedelivered = true }

        /// Says that one is done with it: the consumer does not deliver it again. Once; any thread.
        ///
        /// The result may be let go of. It completes when the server has been told; where the connection breaks before, it
        /// fails with `unconfirmed`, and the message may come again.
        @discardableResult
        public func acknowledge() -> Signal<Never, NATSError> { answer("+ACK") }

        /// Says that it could not be dealt with: it is delivered again, at once or after `delay`.
        @discardableResult
        public func reject(for delay: Duration? = nil) -> Signal<Never, NATSError> {
            guard let delay else { return answer("-NAK") }
            return answer("-NAK {\"delay\":\(delay.saturatedNanoseconds)}")
        }

        /// Says that one is still at it: the time for the acknowledgement begins anew.
        @discardableResult
        public func keep() -> Signal<Never, NATSError> { answer("+WPI") }

        /// Says that it is not to be delivered again, though nobody could deal with it.
        @discardableResult
        public func giveUp() -> Signal<Never, NATSError> { answer("+TERM") }

        private func answer(_ text: String) -> Signal<Never, NATSError> {
            client.publish(NATSMessage(Bytes(text), to: message.reply ?? ""))
        }
    }
#endif
