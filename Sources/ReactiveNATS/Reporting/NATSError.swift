// SPDX-License-Identifier: MIT
#if NATS
    public import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    /// An error of NATS: a code, and a message that names the operation and the response of the server.
    ///
    /// Two errors are equal if their codes are equal.
    public struct NATSError: CodedError, Sendable {
        /// The kind of a ``NATSError``. Later versions may add codes, so a `switch` needs a `default`.
        public struct Code: Sendable, Hashable, CustomStringConvertible {
            /// The code's name, as printed.
            public let description: String

            init(_ name: String) {
                description = name
            }

            /// No server could be reached, initially or within the allowed number of reconnects.
            public static let noServer = Code("no server")
            /// The server rejected the credentials, or their file cannot be read.
            public static let wrongCredentials = Code("wrong credentials")
            /// The credentials lack the permission to publish or subscribe to the subject.
            public static let notPermitted = Code("not permitted")
            /// The TLS handshake failed, or only one side requires TLS.
            public static let insecure = Code("insecure")
            /// The address of a server is malformed.
            public static let invalidAddress = Code("invalid address")
            /// The subject is empty, has empty tokens or whitespace, or has a wildcard in a publication.
            public static let invalidSubject = Code("invalid subject")
            /// The subject, with its reply or queue group, exceeds ``NATSOptions/maximumControlLine``. A retry fails
            /// too.
            public static let subjectTooLong = Code("subject too long")
            /// An option, a name or a header is invalid. The message names it.
            public static let invalidArgument = Code("invalid argument")
            /// This side has closed the client.
            public static let closed = Code("closed")
            /// The connection broke before the server confirmed the message, which may or may not have arrived.
            public static let unconfirmed = Code("unconfirmed")
            /// No connection existed, and the queue had reached its limit.
            public static let bufferFull = Code("buffer full")
            /// The message is larger than the server allows.
            public static let messageTooLarge = Code("message too large")
            /// The subscriber was too slow, and its policy forbids dropping messages.
            public static let slowSubscriber = Code("slow subscriber")
            /// The server or the responder did not answer within the timeout.
            public static let timedOut = Code("timed out")
            /// The subject of a request has no subscriber.
            public static let noResponders = Code("no responders")
            /// The stream does not exist, or no stream stores the subject.
            public static let streamMissing = Code("stream missing")
            /// The consumer does not exist, or has been deleted.
            public static let consumerMissing = Code("consumer missing")
            /// The server has no JetStream, or it is not enabled for this account.
            public static let noJetStream = Code("no JetStream")
            /// JetStream refused for another reason. ``NATSError/serverCode`` identifies it.
            public static let refused = Code("refused")
            /// The input violates the protocol.
            public static let malformed = Code("malformed")
            /// The signal that was being published failed.
            public static let sourceFailed = Code("source failed")
            /// The loop refused the operation, could not be created, or has been disposed. The message says which of these.
            public static let loop = Code("loop")
            /// OpenSSL could not sign the server's challenge.
            public static let library = Code("library")
        }

        /// The kind of failure.
        public var code: Code
        /// JetStream's error number (`err_code`), or 0 for other errors.
        public var serverCode: Int
        /// One sentence: what failed, on what, and why.
        public var message: String
        /// Whether JetStream's error has the status 503.
        var isUnavailable = false

        /// Creates an error from its parts.
        public init(_ code: Code, serverCode: Int = 0, _ message: String) {
            self.code = code
            self.serverCode = serverCode
            self.message = message
        }
    }

    extension NATSError {
        /// Whether the client has refused a message with this error, so that ``NATSClient/events`` sends it.
        var isRefusalByClient: Bool {
            let codes: [Code] = [.messageTooLarge, .invalidSubject, .subjectTooLong, .invalidArgument, .bufferFull]
            return serverCode == 0 && codes.contains(code)
        }
    }

    extension NATSError: LocallyCaused {
        /// Whether this process has closed the client or disposed the loop.
        package var isLocallyCaused: Bool { code == .closed || code == .loop }
    }

    extension NATSError: LoopRefusal {
        package init(refusal: LoopError) { self.init(.loop, refusal.message) }
    }
#endif
