#if NATS
    import ReactiveCore
    import ReactiveSockets

    /// Where in a stream to begin.
    public enum StreamStart: Sendable, Hashable {
        /// With everything there is.
        case all
        /// With the last message.
        case last
        /// With what comes from now on.
        case new
        /// With this sequence number, or the next there is.
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

    /// A consumer that the server keeps by its name: what has been acknowledged, and what is to be sent again.
    public struct NATSConsumerSettings: Sendable, Hashable {
        /// The name; several who consume under one name share its messages.
        public var name: String
        /// Where it begins, when it is made.
        public var start: StreamStart
        /// Which of the stream's subjects; nil: all.
        public var subject: String?
        /// How long a message may go without an acknowledgement before it is delivered again.
        public var acknowledgementTime: Duration
        /// How often a message is delivered at most; nil: as often as it takes.
        public var maximumDeliveries: Int?
        /// How many messages may be delivered and not acknowledged.
        public var maximumUnacknowledged: Int

        /// Makes settings; all but the name have a default.
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
