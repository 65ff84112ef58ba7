// SPDX-License-Identifier: MIT
#if HTTP
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
#endif
