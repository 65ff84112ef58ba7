// SPDX-License-Identifier: MIT
public import ReactiveCore

/// Why a connection behind a proxy was rejected, or a PROXY header cannot be created.
///
/// A failure has the same code on every loop.
public struct ProxyProtocolError: CodedError, Sendable {
    /// The kind of a ``ProxyProtocolError``. Later versions may add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, as printed.
        public let description: String

        private init(_ name: String) { description = name }

        /// The sender's address is not in ``TrustedProxies/ranges``. The server has read no byte.
        public static let untrusted = Code("untrusted")
        /// The first bytes are not the beginning of a PROXY header.
        public static let missing = Code("missing")
        /// The header violates the protocol. The message says why.
        public static let malformed = Code("malformed")
        /// The header has a version, a command or an address family that the protocol does not define.
        public static let unsupported = Code("unsupported")
        /// The header exceeds the limit of the protocol, or ``TrustedProxies/maximumHeaderSize``.
        public static let tooLong = Code("too long")
        /// The checksum of the header is wrong (CRC32c).
        public static let wrongChecksum = Code("wrong checksum")
        /// The stream ended, or the connection failed, before the header was complete.
        public static let incomplete = Code("incomplete")
        /// The header was not complete within ``TrustedProxies/headerTimeout``.
        public static let timedOut = Code("timed out")
        /// The loop refused to watch the connection.
        public static let loop = Code("loop")
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence: what was wrong, and what is allowed.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
