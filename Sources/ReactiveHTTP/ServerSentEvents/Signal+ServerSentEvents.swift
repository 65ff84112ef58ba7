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
            scanMap(into: EventStreamParser(limits: limits)) { (parser, bytes) -> EventBatch in
                EventBatch(bytes, &parser)
            }
            .flatMap(.concat) { batch in
                let events = Signal<ServerSentEvent, HTTPError>(values: batch.events)
                return batch.failure.map { events.concat(.fail($0)) } ?? events
            }
        }
    }

    /// The events that end in one chunk.
    private struct EventBatch: Sendable {
        private(set) var events: [ServerSentEvent] = []
        private(set) var failure: HTTPError?

        init(_ bytes: Bytes, _ parser: inout EventStreamParser) {
            parser.feed(bytes)
            do throws(HTTPError) {
                while let event = try parser.next() { events.append(event) }
            } catch {
                failure = error
            }
        }
    }
#endif
