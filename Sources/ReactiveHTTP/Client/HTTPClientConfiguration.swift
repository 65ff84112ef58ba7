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

    /// The time limits of an ``HTTPClient``. `nil` means no limit. No limit is reached early.
    public struct HTTPClientTimeouts: Sendable, Hashable {
        /// The time to look up the host and to connect to one of its addresses.
        public var connect = Duration.seconds(10)
        /// The time from the last byte of the request to the last byte of the response's head. Single bytes and
        /// informational responses (1xx) do not extend it.
        public var head: Duration? = .seconds(60)
        /// The time in which the server sends no byte of a body that is read, or accepts no byte of a request. The time in
        /// which the subscriber of the body is paused does not count.
        public var idle: Duration? = .seconds(60)
        /// The time from a subscription to ``HTTPClient/send(_:)`` to the end of the response's body, with the wait for a
        /// connection, redirects and a retry.
        public var request: Duration?
        /// The time that a connection without a request stays open. Choose less than the servers do.
        public var pooled: Duration? = .seconds(30)
        /// The time to wait for `100 Continue`, if the request has `Expect: 100-continue`. Then the body is sent anyway.
        public var `continue` = Duration.seconds(1)

        /// Creates the default limits.
        public init() {}
    }

    /// What an ``HTTPClient`` does with a response of 301, 302, 303, 307 or 308 that has a `Location` (RFC 9110 section
    /// 15.4).
    public struct HTTPRedirectPolicy: Sendable, Hashable {
        /// The number of redirects that one request may follow. Zero means none.
        let limit: Int
        /// Whether a redirect may lead from `https` to `http`.
        let allowsDowngrade: Bool

        /// Delivers the response of the redirect like any other.
        public static let none = HTTPRedirectPolicy(limit: 0, allowsDowngrade: false)

        /// Follows redirects.
        ///
        /// - 303 changes the method to GET, except HEAD. 301 and 302 change POST to GET. Then the body and its fields are
        ///   left out.
        /// - 307 and 308, and 301 and 302 for other methods, send the request again. Its body must consist of stored
        ///   bytes: otherwise the request fails with `redirectFailed`.
        /// - A redirect to another origin drops `Authorization`, `Cookie`, `Proxy-Authorization` and `Host`.
        ///
        /// A redirect beyond the limit, to an invalid location, or to a scheme other than `http` and `https`, fails with
        /// `redirectFailed`.
        ///
        /// - Parameters:
        ///   - limit: The number of redirects that one request may follow.
        ///   - allowsDowngrade: Whether a redirect may lead from `https` to `http`. Otherwise such a redirect fails with
        ///     `redirectFailed`.
        public static func follow(limit: Int, allowsDowngrade: Bool = false) -> HTTPRedirectPolicy {
            HTTPRedirectPolicy(limit: max(0, limit), allowsDowngrade: allowsDowngrade)
        }
    }
#endif
