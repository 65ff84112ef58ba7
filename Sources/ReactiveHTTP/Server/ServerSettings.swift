// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSignals
    import ReactiveSockets

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
