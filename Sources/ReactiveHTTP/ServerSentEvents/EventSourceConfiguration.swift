// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSignals

    /// The settings of a client of server-sent events: ``HTTPClient/events(_:configuration:)``.
    public struct EventSourceConfiguration: Sendable, Hashable {
        /// The time before a reconnection, until the server sets another one with `retry`. The default is three seconds.
        ///
        /// Both times count as at least 100 milliseconds and at most one hour. So no server can make the client occupy its
        /// processor.
        public var reconnectionTime = Duration.seconds(3)
        /// The additional delays after attempts that receive no event stream. The first one applies after the second failure
        /// in a row. By default they grow from one second to one minute, with jitter.
        public var backoff = Backoff(first: .seconds(1), maximum: .seconds(60))
        /// The identifier that the first request sends in the field `Last-Event-ID`. `nil` and an empty text send none.
        public var lastEventID: String?
        /// The limits of lines and events. A stream that exceeds them fails the signal with `contentTooLarge`.
        public var limits = EventStreamLimits()

        /// Creates the default settings.
        public init() {}
    }
#endif
