// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    public import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    extension HTTPMessage<HTTPResponse> {
        /// The response to an `EventSource` of a browser: a stream of events.
        ///
        /// ```swift
        /// let server = try HTTPServer(on: address, loops: loops) { request in
        ///     .events(prices.map { price in ServerSentEvent("\(price)") })
        /// }
        /// ```
        ///
        /// While the browser does not read, the connection pauses `source`. The source decides what it keeps then: by default
        /// a `Subject` keeps all events for each slow browser, so limit it, for example with
        /// `Subject(whilePaused: .dropOldest(1000))`.
        ///
        /// When `source` completes, or the server begins to drain, the response ends. If `source` fails, the connection is
        /// reset. In all cases the browser reconnects, and sends the last identifier: ``HTTPMessage/lastEventID``. To end
        /// this, answer with the status 204.
        ///
        /// The field `Cache-Control` is `no-store`. `X-Accel-Buffering: no` tells nginx not to collect events.
        ///
        /// - Parameters:
        ///   - source: The events. The connection subscribes on its loop.
        ///   - keepAlive: If no event was sent for this time, a comment is sent, which browsers ignore. It keeps proxies from
        ///     closing the connection, and finds browsers that have left. It comes at most the same time late. `nil` means
        ///     no comments. Zero or less counts as one millisecond.
        public static func events<Source: SignalSource & Sendable>(
            _ source: Source,
            keepAlive: Duration? = .seconds(15)
        ) -> HTTPMessage where Source.Value == ServerSentEvent {
            let signal = Signal(source)
            let bytes =
                keepAlive.map { EventStream.bytes(of: signal, keepAlive: max($0, .milliseconds(1))) }
                ?? signal.map(\.encoded)
            let body = HTTPBody(bytes, isEndless: true)
            var response = response(.ok, body, type: "text/event-stream")
            response.head.headerFields[.cacheControl] = "no-store"
            if let name = HTTPField.Name("X-Accel-Buffering") { response.head.headerFields[name] = "no" }
            return response
        }
    }

    extension HTTPResponse {
        /// Whether the type of the content is `text/event-stream`, with any parameters (RFC 9110 section 8.3.1).
        var hasEvents: Bool {
            let type = headerFields[.contentType] ?? ""
            return type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() == "text/event-stream"
        }
    }

    /// The bytes of a stream of events.
    enum EventStream {
        private enum Step: Sendable {
            case event(ServerSentEvent), tick, end
        }

        private static let comment: Bytes = ":\n\n"

        /// The events, with a comment for each time without an event. The loop that subscribes runs the timer.
        static func bytes<Failure: Error>(
            of events: Signal<ServerSentEvent, Failure>,
            keepAlive: Duration
        ) -> Signal<Bytes, Failure> {
            Signal { emitter, subscription in
                // Only a test subscribes outside of a loop.
                guard let loop = CurrentScheduler.value as? any TimedScheduler else {
                    return events.map(\.encoded).subscribe(emitter, in: subscription)
                }
                let ticks = Signal<Int, Never>.interval(keepAlive, on: loop).map { _ in Step.tick }
                events.map(Step.event).concat(value: .end)
                    .merge(with: ticks.setFailureType(to: Failure.self))
                    .take(while: { step in if case .end = step { false } else { true } })
                    .scanMap(into: false) { (hasSent, step) -> Bytes? in
                        defer { hasSent = if case .event = step { true } else { false } }
                        switch step {
                        case .event(let event): return event.encoded
                        case .tick: return hasSent ? nil : comment
                        case .end: return nil
                        }
                    }
                    .compactMap { $0 }
                    .subscribe(emitter, in: subscription)
            }
        }
    }
#endif
