// SPDX-License-Identifier: MIT
#if HTTP
    /// A failure that an ``HTTPServer`` reports: a peer has violated the protocol or a limit, or the service has failed.
    public struct HTTPFailure: Sendable {
        /// The error.
        public let error: HTTPError
        /// The peer of the connection.
        public let peer: HTTPPeer

        /// Whether the service has failed, and not its peer.
        public var isOfService: Bool { [.serviceFailed, .sourceFailed, .lengthMismatch].contains(error.code) }
    }
#endif
