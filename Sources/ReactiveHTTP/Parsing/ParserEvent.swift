// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets

    /// A part of a received message. Each message is a head, any number of body chunks, and an end.
    ///
    /// The body of a tunnel has no end: the parser returns no event after its head, and ``MessageParser/takeRest()``
    /// returns the bytes that follow.
    enum ParserEvent: Sendable, Equatable {
        case request(HTTPRequest, MessageFraming)
        /// An informational response (1xx other than 101) has no end: the head of the next response follows.
        case response(HTTPResponse, MessageFraming)
        /// At least one byte of the body.
        case body(Bytes)
        /// The end of the message, with its trailer fields. `nil` means that there are none.
        case end(HTTPFields?)
    }

    /// What a received head says about its message and its connection.
    struct MessageFraming: Sendable, Hashable {
        /// How the end of the body is found (RFC 9112 section 6.3).
        enum BodyLength: Sendable, Hashable {
            /// The message has no body.
            case none
            /// `Content-Length`. It may be zero.
            case fixed(Int)
            /// `Transfer-Encoding: chunked`.
            case chunked
            /// The body of a response ends with the stream.
            case untilClose
            /// The bytes that follow belong to another protocol: 101, or a successful CONNECT of a client.
            case tunnel

            /// Whether no content follows the head.
            var isEmpty: Bool { self == .none || self == .fixed(0) || self == .tunnel }
            /// The number of bytes, if it is declared.
            var count: Int? { if case .fixed(let count) = self { count } else { nil } }
        }

        /// The `Expect` field of a request of HTTP/1.1 (RFC 9110 section 10.1.1).
        enum Expectation: Sendable, Hashable {
            case none
            /// `100-continue`.
            case `continue`
            /// Anything else, which is answered with 417.
            case other
        }

        /// The minor version: 0, or 1 for all later ones (RFC 9110 section 2.5).
        var minorVersion = 1
        var body = BodyLength.none
        /// Whether the sender lets the connection persist after this message (RFC 9112 section 9.3).
        var isPersistent = true
        var expectation = Expectation.none
        /// Whether the message has an `Upgrade` field that `Connection` names (RFC 9110 section 7.8).
        var isUpgrade = false
    }

    /// What has been read of a head, apart from its ordinary fields.
    struct PartialHead {
        /// The list in all `Transfer-Encoding` fields together (RFC 9112 section 6.1).
        struct TransferCodings {
            var isPresent = false
            /// An element is empty, or follows `chunked`.
            var isMalformed = false
            /// The list contains a coding that this parser does not implement.
            var hasUnknown = false
            /// The last element is `chunked`.
            var endsChunked = false

            mutating func append(isChunked: Bool, isEmpty: Bool) {
                if isEmpty || endsChunked { isMalformed = true }
                if isChunked { endsChunked = true } else { hasUnknown = true }
            }
        }

        var method = HTTPRequest.Method.get
        var target = RequestTarget()
        var status = HTTPResponse.Status(code: 0)
        var minorVersion = 1
        var host: String?
        var contentLength: Int?
        var codings = TransferCodings()
        var hasClose = false
        var hasKeepAlive = false
        var hasUpgradeOption = false
        var hasUpgradeField = false
        var expectation = MessageFraming.Expectation.none
    }
#endif
