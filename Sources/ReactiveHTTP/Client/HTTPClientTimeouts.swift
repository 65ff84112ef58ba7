// SPDX-License-Identifier: MIT
#if HTTP
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
#endif
