// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    public import ReactiveCore
    import ReactiveSockets
    import ReactiveSupport

    /// An error of HTTP: a code, the status of the answer, and a message that states what was wrong and what is allowed.
    ///
    /// Two errors are equal if their codes are equal, whatever their messages.
    public struct HTTPError: CodedError, Sendable {
        /// The kind of an ``HTTPError``. Later versions may add codes, so a `switch` needs a `default`.
        public struct Code: Sendable, Hashable, CustomStringConvertible {
            /// The code's name, as printed.
            public let description: String
            /// The status with which a server answers. `nil` means that no answer is possible.
            let statusCode: Int?

            private init(_ name: String, _ statusCode: Int? = nil) {
                description = name
                self.statusCode = statusCode
            }

            /// The message violates the syntax, or its length is ambiguous (RFC 9112). A server answers with 400.
            public static let malformed = Code("malformed", 400)
            /// The head or the body did not arrive in time. A server answers with 408.
            public static let timedOut = Code("timed out", 408)
            /// The body, or the chunk extensions in it, exceed a limit. A server answers with 413.
            public static let contentTooLarge = Code("content too large", 413)
            /// The request line exceeds its limit. A server answers with 414.
            public static let targetTooLong = Code("target too long", 414)
            /// The request expects something other than `100-continue`. A server answers with 417.
            public static let expectationFailed = Code("expectation failed", 417)
            /// The header or trailer fields exceed a limit. A server answers with 431.
            public static let fieldsTooLarge = Code("fields too large", 431)
            /// The service failed before it sent a head. A server answers with 500.
            public static let serviceFailed = Code("service failed", 500)
            /// The message has a transfer coding other than `chunked`, or a client is asked to send CONNECT. A server answers
            /// with 501.
            public static let notImplemented = Code("not implemented", 501)
            /// A server behind this one refuses a request, violates its protocol, or cannot be reached. A server answers with
            /// 502.
            ///
            /// The services of other protocols than HTTP fail with it. An ``HTTPClient`` fails with the other codes.
            public static let badGateway = Code("bad gateway", 502)
            /// A server behind this one takes too long. A server answers with 504.
            ///
            /// The services of other protocols than HTTP fail with it. An ``HTTPClient`` fails with ``timedOut``.
            public static let gatewayTimeout = Code("gateway timeout", 504)
            /// The major version of the message is not 1. A server answers with 505.
            public static let versionNotSupported = Code("version not supported", 505)
            /// The peer ended its stream in the middle of a message.
            public static let incomplete = Code("incomplete")
            /// The source of a body sent more or fewer bytes than the declared length.
            public static let lengthMismatch = Code("length mismatch")
            /// The source of a body failed.
            public static let sourceFailed = Code("source failed")
            /// The connection failed. ``HTTPError/cause`` is the `SocketError`.
            public static let connection = Code("connection")
            /// This side has closed the connection or dropped the body.
            public static let closed = Code("closed")
            /// The body already has a subscriber. It allows one.
            public static let alreadyReceiving = Code("already receiving")
            /// A client cannot send the request: its URL or its fields are invalid. Nothing has been sent.
            public static let invalidRequest = Code("invalid request")
            /// The scheme of the request is `https`, and the client's configuration has no TLS.
            public static let noTLS = Code("no TLS")
            /// Too many requests wait for a connection of a client. Nothing has been sent. A server answers with 503.
            public static let overloaded = Code("overloaded", 503)
            /// A client cannot follow a redirect. The message says why.
            public static let redirectFailed = Code("redirect failed")
            /// The response to a request for events has another status than 200, or another type than `text/event-stream`.
            public static let notEventStream = Code("not an event stream")
        }

        /// The kind of failure.
        public var code: Code
        /// One sentence: what failed, why, and what is allowed.
        public var message: String
        /// The error that caused this one, or `nil`.
        public var cause: (any Error)?
        /// Whether the server that a client has asked, or the connection with it, is the cause.
        var isOfOrigin = false

        /// Creates an error.
        ///
        /// - Parameters:
        ///   - code: The kind of failure.
        ///   - message: One sentence: what failed, why, and what is allowed.
        ///   - cause: The error that caused this one, or `nil`.
        public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
            self.code = code
            self.message = message
            self.cause = cause
        }

        /// The status with which a server answers. `nil` means that no answer is possible.
        ///
        /// If an ``HTTPClient`` failed because of its server, it is 504 for `timedOut`, and otherwise 502. So a service that
        /// passes the failure on answers as a gateway. It is 503 if the client cannot connect because this process has no
        /// descriptor, port or kernel memory left, or lacks the local address.
        public var status: HTTPResponse.Status? {
            if lacksResources { return .serviceUnavailable }
            if isOfOrigin { return code == .timedOut ? .gatewayTimeout : .badGateway }
            return Self.statuses.first { $0.code == code.statusCode }
        }

        /// The status that reports the peer's own failure to it. `nil` means that this side has failed.
        var peerStatus: HTTPResponse.Status? {
            if isOfOrigin { return nil }
            if code == .incomplete { return .badRequest }
            guard let status, status.code < 500 else { return nil }
            return status
        }

        private static let statuses: [HTTPResponse.Status] = [
            .badRequest, .requestTimeout, .contentTooLarge, .uriTooLong, .expectationFailed,
            .requestHeaderFieldsTooLarge, .internalServerError, .notImplemented, .badGateway, .serviceUnavailable,
            .gatewayTimeout, .httpVersionNotSupported,
        ]

        private var lacksResources: Bool {
            guard code == .connection, let error = cause as? SocketError else { return false }
            // A resolver of the application may set the code without `errno`.
            let hasNone = error.code == .outOfDescriptors || error.code == .addressNotAvailable
            return hasNone || SocketError.isExhaustion(error.errno)
        }
    }

    extension HTTPError: LoopRefusal {
        package init(refusal: LoopError) {
            let isOver = refusal.code == .disposed || refusal.code == .forked
            self.init(isOver ? .closed : .connection, refusal.message, cause: SocketError(refusal: refusal))
        }
    }
#endif
