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

        /// Reports a failure of a peer.
        func report(_ error: HTTPError, from peer: HTTPPeer) {
            failures.send(HTTPFailure(error: error, peer: peer))
        }

        /// Reports a failure of the service. If nothing observes the failures, it is an `UnhandledFailure`.
        func reportService(_ error: HTTPError, for peer: HTTPPeer) {
            report(error, from: peer)
            if !failures.hasBeenObserved { UnhandledFailure.report(error, of: "HTTPServer") }
        }
    }
#endif
