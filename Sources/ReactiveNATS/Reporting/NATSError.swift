#if NATS
    public import ReactiveCore

    /// What went wrong with NATS: a code to decide on, and words that name the operation and what the server or nats.c said.
    ///
    /// Two errors are equal when their codes are.
    public struct NATSError: CodedError, Sendable {
        /// The kind of a ``NATSError``. More may be added, so a `switch` over them needs a `default`.
        public struct Code: Sendable, Hashable, CustomStringConvertible {
            /// The code's name, as printed.
            public let description: String

            init(_ name: String) {
                description = name
            }

            /// No server could be reached, at first or for as many attempts as the options allow.
            public static let noServer = Code("no server")
            /// The server does not let these credentials in.
            public static let wrongCredentials = Code("wrong credentials")
            /// The server does not let these credentials publish or subscribe there.
            public static let notPermitted = Code("not permitted")
            /// TLS could not be agreed on, or is wanted by one side only.
            public static let insecure = Code("insecure")
            /// The address of a server cannot be read.
            public static let invalidAddress = Code("invalid address")
            /// The subject is empty, has empty parts or blanks, or a wildcard where a message is published.
            public static let invalidSubject = Code("invalid subject")
            /// A subject, with the reply or the group that goes with it, makes a line longer than the server reads:
            /// ``NATSOptions/maximumControlLine``. Neither a new connection nor another try changes that.
            public static let subjectTooLong = Code("subject too long")
            /// An option, a name or a header cannot be used; the text says which.
            public static let invalidArgument = Code("invalid argument")
            /// The client has been closed on this side.
            public static let closed = Code("closed")
            /// The connection broke before the server had confirmed it: it may have arrived or not.
            public static let unconfirmed = Code("unconfirmed")
            /// There was no connection, and what waits for one has reached its limit.
            public static let bufferFull = Code("buffer full")
            /// The message is larger than the server takes.
            public static let messageTooLarge = Code("message too large")
            /// The subscriber did not take its messages as fast as they came, and was not to lose any.
            public static let slowSubscriber = Code("slow subscriber")
            /// There was no answer in time.
            public static let timedOut = Code("timed out")
            /// Nobody listens to the subject that was asked.
            public static let noResponders = Code("no responders")
            /// There is no such stream, or none that takes the subject.
            public static let streamMissing = Code("stream missing")
            /// The stream has no such consumer, or no longer.
            public static let consumerMissing = Code("consumer missing")
            /// The server has no JetStream, or it is not enabled for this account.
            public static let noJetStream = Code("no JetStream")
            /// JetStream refused for another reason; ``NATSError/serverCode`` says which.
            public static let refused = Code("refused")
            /// What came is not what the protocol allows.
            public static let malformed = Code("malformed")
            /// The signal that was being published failed.
            public static let sourceFailed = Code("source failed")
            /// The loop refused, or has been disposed; the text says why.
            public static let loop = Code("loop")
            /// nats.c refused for another reason; the text has its words.
            public static let library = Code("library")
        }

        /// The kind of failure.
        public var code: Code
        /// JetStream's own number for it (`err_code`), or 0 where JetStream was not asked.
        public var serverCode: Int
        /// One sentence: what was tried, on what, and why it failed.
        public var message: String

        /// Makes an error from its parts.
        public init(_ code: Code, serverCode: Int = 0, _ message: String) {
            self.code = code
            self.serverCode = serverCode
            self.message = message
        }
    }
#endif
