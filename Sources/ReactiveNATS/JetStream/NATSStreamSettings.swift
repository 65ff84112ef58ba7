#if NATS
    import ReactiveCore
    import ReactiveSockets

    /// What a stream keeps, and for how long.
    public struct NATSStreamSettings: Sendable, Hashable {
        /// Where the server keeps messages.
        public enum Storage: String, Sendable, Hashable { case file, memory }

        /// When a message may go.
        public enum Retention: String, Sendable, Hashable {
            /// When a limit says so.
            case limits
            /// When all consumers have acknowledged it.
            case interest
            /// When one consumer has acknowledged it.
            case workQueue = "workqueue"
        }

        /// What goes where a limit is reached.
        public enum Discard: String, Sendable, Hashable { case old, new }

        /// The name: letters, digits, `-` and `_`.
        public var name: String
        /// What it takes: subjects, with wildcards.
        public var subjects: [String]
        public var storage: Storage
        public var retention: Retention
        public var discard: Discard
        /// How many messages, bytes and messages of one subject it keeps; nil: no limit.
        public var maximumMessages: Int?
        public var maximumBytes: Int?
        public var maximumMessagesPerSubject: Int?
        /// How long it keeps them; nil: for ever.
        public var maximumAge: Duration?
        /// How large a message may be; nil: as large as the server takes.
        public var maximumMessageSize: Int?
        /// On how many servers of a cluster it is kept.
        public var replicas: Int
        /// For how long it knows the ids of messages, so that one published twice is kept once.
        public var duplicateWindow: Duration

        /// Makes settings; all but the first two have a default.
        public init(
            _ name: String,
            subjects: [String],
            storage: Storage = .file,
            retention: Retention = .limits,
            discard: Discard = .old,
            maximumMessages: Int? = nil,
            maximumBytes: Int? = nil,
            maximumMessagesPerSubject: Int? = nil,
            maximumAge: Duration? = nil,
            maximumMessageSize: Int? = nil,
            replicas: Int = 1,
            duplicateWindow: Duration = .seconds(120)
        ) {
            self.name = name
            self.subjects = subjects
            self.storage = storage
            self.retention = retention
            self.discard = discard
            self.maximumMessages = maximumMessages
            self.maximumBytes = maximumBytes
            self.maximumMessagesPerSubject = maximumMessagesPerSubject
            self.maximumAge = maximumAge
            self.maximumMessageSize = maximumMessageSize
            self.replicas = replicas
            self.duplicateWindow = duplicateWindow
        }

        var json: JSONValue {
            func limit(_ value: Int?) -> JSONValue { .integer(WireInteger(value ?? -1)) }
            return .object([
                "name": .string(name),
                "subjects": .array(subjects.map { .string($0) }),
                "storage": .string(storage.rawValue),
                "retention": .string(retention.rawValue),
                "discard": .string(discard.rawValue),
                "max_msgs": limit(maximumMessages),
                "max_bytes": limit(maximumBytes),
                "max_msgs_per_subject": limit(maximumMessagesPerSubject),
                "max_msg_size": limit(maximumMessageSize),
                "max_consumers": .integer(WireInteger(-1)),
                "max_age": .integer(WireInteger(maximumAge?.saturatedNanoseconds ?? 0)),
                "num_replicas": .integer(WireInteger(replicas)),
                "duplicate_window": .integer(WireInteger(duplicateWindow.saturatedNanoseconds)),
            ])
        }
    }
#endif
