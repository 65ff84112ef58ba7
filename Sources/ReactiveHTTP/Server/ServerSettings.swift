// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSignals
    import ReactiveSockets

    /// What all connections of a server share.
    final class ServerSettings: Sendable {
        /// The code that answers requests.
        enum Service: Sendable {
            /// Answers before it returns.
            case function(@Sendable (HTTPRequestMessage) -> HTTPResponseMessage)
            /// Subscribes to a signal of the response.
            case signal(@Sendable (HTTPRequestMessage, ResponseSlot, SignalSubscription) -> Void)
        }

        let service: Service
        let limits: HTTPLimits
        /// The scheme of requests in origin form.
        let scheme: String
        let failures = Subject<HTTPFailure, Never>()

        init(_ service: Service, _ limits: HTTPLimits, scheme: String) {
            self.service = service
            self.limits = limits
            self.scheme = scheme
        }

        /// Reports a failure. If nothing observes the failures, one of the service is an `UnhandledFailure`.
        func report(_ error: HTTPError, _ peer: HTTPPeer) {
            let failure = HTTPFailure(error: error, peer: peer)
            failures.send(failure)
            if failure.isOfService, !failures.hasBeenObserved { UnhandledFailure.report(error, of: "HTTPServer") }
        }
    }
#endif
