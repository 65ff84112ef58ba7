// SPDX-License-Identifier: MIT
#if HTTP
    /// A failure that an ``HTTPServer`` reports: a peer has violated the protocol or a limit, or the service has failed.
    public struct HTTPFailure: Sendable {
        /// The error. Its code tells who caused it: `serviceFailed`, `sourceFailed` and `lengthMismatch` are failures of
        /// the service.
        public let error: HTTPError
        /// The peer of the connection.
        public let peer: HTTPPeer
    }
#endif
