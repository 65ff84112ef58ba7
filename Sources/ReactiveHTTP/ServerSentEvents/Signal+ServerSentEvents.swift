// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSignals
    public import ReactiveSockets

    extension Signal<Bytes, HTTPError> {
        /// The events of a received body: `response.body.signal.serverSentEvents()`.
        ///
        /// A pause pauses the source, after the events of the last chunk have been queued. The signal completes with the
        /// source, and drops an event that is not complete. It fails with `contentTooLarge` if a line or an event exceeds its
        /// limit, after the events before it, and with the failure of the source.
        ///
        /// - Parameter limits: The limits of lines and events.
        /// - Returns: A cold signal of events.
        public func serverSentEvents(
            limits: EventStreamLimits = EventStreamLimits()
        ) -> Signal<ServerSentEvent, HTTPError> {
            scanMap(into: EventStreamParser(limits: limits)) { (parser, bytes) -> ([ServerSentEvent], HTTPError?) in
                var events: [ServerSentEvent] = []
                let failure = parser.readEvents(of: bytes) { event in events.append(event) }
                return (events, failure)
            }
            .flatMap(.concat) { events, failure in
                let signal = Signal<ServerSentEvent, HTTPError>(values: events)
                return failure.map { signal.concat(.fail($0)) } ?? signal
            }
        }
    }
#endif
