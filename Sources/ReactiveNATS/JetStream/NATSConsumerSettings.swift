// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSockets

    /// The position in a stream at which a consumer starts.
    public enum StreamStart: Sendable, Hashable {
        /// The first stored message.
        case all
        /// The last stored message.
        case last
        /// Messages that are stored after the consumer was created.
        case new
        /// The given sequence number, or the next one that exists. A value below 1 counts as 1.
        case sequence(Int)

        var json: [String: JSONValue] {
            switch self {
            case .all: ["deliver_policy": .string("all")]
            case .last: ["deliver_policy": .string("last")]
            case .new: ["deliver_policy": .string("new")]
            case .sequence(let sequence):
                [
                    "deliver_policy": .string("by_start_sequence"),
                    "opt_start_seq": .integer(WireInteger(max(1, sequence))),
                ]
            }
        }
    }

    /// The settings of a durable consumer, for which the server tracks acknowledgements and redeliveries.
    public struct NATSConsumerSettings: Sendable, Hashable {
        /// The name. Subscribers that use the same name share the consumer's messages.
        public var name: String
        /// The position at which a new consumer starts.
        public var start: StreamStart
        /// The subject to deliver, which may contain wildcards. `nil` delivers all subjects of the stream.
        public var subject: String?
        /// The time after which an unacknowledged message is redelivered.
        public var acknowledgementTime: Duration
        /// The maximum number of deliveries of a message. `nil` means no limit.
        public var maximumDeliveries: Int?
        /// The maximum number of delivered but unacknowledged messages.
        public var maximumUnacknowledged: Int

        /// Creates settings. Every parameter except the name has a default.
        public init(
            _ name: String,
            start: StreamStart = .all,
            subject: String? = nil,
            acknowledgementTime: Duration = .seconds(30),
            maximumDeliveries: Int? = nil,
            maximumUnacknowledged: Int = 1000
        ) {
            self.name = name
            self.start = start
            self.subject = subject
            self.acknowledgementTime = acknowledgementTime
            self.maximumDeliveries = maximumDeliveries
            self.maximumUnacknowledged = maximumUnacknowledged
        }

        var json: [String: JSONValue] {
            var json = start.json
            json["durable_name"] = .string(name)
            json["ack_policy"] = .string("explicit")
            json["ack_wait"] = .integer(WireInteger(acknowledgementTime.saturatedNanoseconds))
            json["max_deliver"] = .integer(WireInteger(maximumDeliveries ?? -1))
            json["max_ack_pending"] = .integer(WireInteger(maximumUnacknowledged))
            if let subject { json["filter_subject"] = .string(subject) }
            return json
        }
    }
#endif
