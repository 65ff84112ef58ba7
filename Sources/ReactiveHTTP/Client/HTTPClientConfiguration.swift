// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSockets

    /// The settings of an ``HTTPClient``.
    public struct HTTPClientConfiguration: Sendable {
        /// Creates the transformer of a connection from the host name, for the scheme `https`: `tls.client` of a
        /// `TLSContext`. `nil` means that `https` requests fail with `noTLS`.
        public typealias Security = @Sendable (_ host: String) -> @Sendable () -> any ConnectionTransformer

        /// The security of the scheme `https`.
        public var security: Security?
        /// The time limits.
        public var timeouts = HTTPClientTimeouts()
        /// The redirects to follow. The default is none.
        public var redirects = HTTPRedirectPolicy.none
        /// The limits of responses. A response beyond them fails. Its times, and `requestsPerConnection`, are those of
        /// servers and mean nothing here.
        public var limits = HTTPLimits()
        /// The maximum number of connections to one origin (scheme, host and port) on one loop. Further requests wait. A
        /// number below 1 counts as 1.
        public var connectionsPerOrigin = 8
        /// The maximum number of requests that wait for a connection to one origin on one loop. A further request fails
        /// with `overloaded`.
        public var waitingRequests = 1000
        /// The maximum number of connections without a request on one loop. Beyond it, the one that has been idle the
        /// longest is closed.
        public var idleConnections = 64
        /// The resolver that looks up host names.
        public var resolver = Resolver.system
        /// The settings of connections. Its `timeout` is replaced by ``HTTPClientTimeouts/connect``, and its `transformer`
        /// by ``security``.
        public var connecting = ConnectSettings()

        /// Creates the default settings.
        ///
        /// - Parameter security: The security of the scheme `https`, such as `tls.client` of a `TLSContext`.
        public init(security: Security? = nil) {
            self.security = security
        }
    }
#endif
