// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSockets

    /// The settings of a stream.
    public struct NATSStreamSettings: Sendable, Hashable {
        /// The medium on which the server stores messages.
        public enum Storage: String, Sendable, Hashable { case file, memory }

        /// The condition under which the stream removes a message.
        public enum Retention: String, Sendable, Hashable {
            /// A limit is exceeded.
            case limits
            /// All consumers have acknowledged it.
            case interest
            /// One consumer has acknowledged it.
            case workQueue = "workqueue"
        }

        /// The messages to discard at a limit: the oldest, or new ones.
        public enum Discard: String, Sendable, Hashable { case old, new }

        /// The name: letters, digits, `-` and `_`.
        public var name: String
        /// The subjects to store, which may contain wildcards.
        public var subjects: [String]
        /// The storage medium. The default is `file`.
        public var storage: Storage
        /// The condition for removing messages. The default is `limits`.
        public var retention: Retention
        /// The messages to discard at a limit. The default is `old`.
        public var discard: Discard
        /// The maximum number of messages. `nil` means no limit.
        public var maximumMessages: Int?
        /// The maximum size of all messages in bytes. `nil` means no limit.
        public var maximumBytes: Int?
        /// The maximum number of messages of one subject. `nil` means no limit.
        public var maximumMessagesPerSubject: Int?
        /// The maximum age of messages. `nil` means no limit.
        public var maximumAge: Duration?
        /// The maximum size of a message in bytes. `nil` means the server's limit.
        public var maximumMessageSize: Int?
        /// The number of servers in a cluster that store each message.
        public var replicas: Int
        /// The time during which the stream recognises a repeated message id as a duplicate.
        public var duplicateWindow: Duration

        /// Creates settings. Every parameter except the name and the subjects has a default.
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
