// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSignals
    import ReactiveSockets

    /// A failure that an ``HTTPServer`` reports: a peer has violated the protocol or a limit, or the service has failed.
    public struct HTTPFailure: Sendable {
        /// The error.
        public let error: HTTPError
        /// The peer of the connection.
        public let peer: HTTPPeer
        /// The path of the request, with its query, as the peer sent it. `nil` if the head of the request has not arrived or
        /// is invalid, and for CONNECT, which has no path.
        public let path: String?

        /// Whether the service itself has failed, and not its peer or a server behind it.
        ///
        /// The service has also failed if it passes on the failure of an ``HTTPClient`` whose request or configuration it has
        /// built incorrectly.
        public var isOfService: Bool { Self.codesOfService.contains(error.code) }

        private static let codesOfService: [HTTPError.Code] = [
            .serviceFailed, .sourceFailed, .lengthMismatch, .invalidRequest, .noTLS, .alreadyReceiving,
        ]
    }

    extension HTTPFailure: CustomStringConvertible {
        /// The failure in one line: `127.0.0.1:50412, /work: the service failed: …`.
        public var description: String {
            let request = path.map { "\(peer), \($0)" } ?? peer.description
            return "\(request): \(error.message)"
        }
    }

    /// What all connections of a server share.
    final class ServerSettings: Sendable {
        /// Serves a connection until its result terminates.
        typealias Serve = @Sendable (Connection) -> Signal<Never, SocketError>

        let service: HTTPService
        let limits: HTTPLimits
        /// The scheme of requests in origin form.
        let scheme: String
        let failures = Subject<HTTPFailure, Never>()

        init(_ service: HTTPService, _ limits: HTTPLimits, scheme: String) {
            self.service = service
            self.limits = limits
            self.scheme = scheme
        }

        /// Reports a failure. If nothing observes the failures, one of the service is an `UnhandledFailure`.
        func report(_ error: HTTPError, _ peer: HTTPPeer, path: String?) {
            let failure = HTTPFailure(error: error, peer: peer, path: path)
            failures.send(failure)
            if failure.isOfService, !failures.hasBeenObserved { UnhandledFailure.report(error, of: "HTTPServer") }
        }
    }
#endif
