// SPDX-License-Identifier: MIT
#if TLS
    public import ReactiveCore

    /// A failure of TLS: a code, OpenSSL's reason, and a message that says what to do.
    ///
    /// A failure has the same code on every loop. If a connection fails, its `SocketError` has the code `tls`, and this
    /// error is its cause.
    public struct TLSError: CodedError, Sendable {
        /// The kind of a ``TLSError``. Later versions may add codes, so a `switch` needs a `default`.
        public struct Code: Sendable, Hashable, CustomStringConvertible {
            /// The code's name, as printed.
            public let description: String

            private init(_ name: String) { description = name }

            /// A file cannot be read, or contains nothing in PEM format.
            public static let unreadable = Code("unreadable")
            /// The private key does not belong to the certificate.
            public static let keyMismatch = Code("key mismatch")
            /// A setting is not allowed.
            public static let invalidConfiguration = Code("invalid configuration")
            /// A connection cannot be upgraded to TLS now. The message says why.
            public static let cannotStart = Code("cannot start")
            /// The peer's certificate has expired, or is not valid yet.
            public static let certificateExpired = Code("certificate expired")
            /// No trusted certificate has signed the peer's certificate.
            public static let unknownIssuer = Code("unknown issuer")
            /// The server's certificate is for another host.
            public static let wrongHost = Code("wrong host")
            /// The peer's certificate is invalid for another reason.
            public static let invalidCertificate = Code("invalid certificate")
            /// The client has sent no certificate, and the server requires one.
            public static let certificateRequired = Code("certificate required")
            /// The two sides have no version in common.
            public static let noCommonVersion = Code("no common version")
            /// The two sides have no cipher in common.
            public static let noCommonCipher = Code("no common cipher")
            /// The two sides have no application protocol in common (ALPN).
            public static let noCommonProtocol = Code("no common protocol")
            /// The server does not serve the host name that the client has sent (SNI).
            public static let unknownServerName = Code("unknown server name")
            /// The peer does not speak TLS.
            public static let notTLS = Code("not TLS")
            /// A record has been changed, repeated or sent with another key.
            public static let badRecord = Code("bad record")
            /// A record is longer than the protocol allows.
            public static let recordTooLarge = Code("record too large")
            /// The peer violates the protocol in another way.
            public static let malformed = Code("malformed")
            /// The stream ended without the peer's close_notify, so bytes may be missing.
            public static let truncated = Code("truncated")
            /// The peer has sent an alert. The message names it.
            public static let alert = Code("alert")
            /// OpenSSL failed for another reason.
            public static let library = Code("library")
        }

        /// The kind of failure.
        public let code: Code
        /// OpenSSL's reason, or an empty string.
        public let reason: String
        /// One sentence: what failed, and what to do.
        public let message: String

        init(_ code: Code, reason: String = "", _ message: String) {
            self.code = code
            self.reason = reason
            self.message = message
        }
    }
#endif
