// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    public import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    extension HTTPClient {
        /// The events of a URL, over as many connections as necessary. It is what `EventSource` is for a browser (HTML
        /// Standard, section 9.2).
        ///
        /// ```swift
        /// client.events(.get("http://127.0.0.1:8080/prices")).subscribe(
        ///     onValue: { event in print(event.data) },
        ///     onTermination: { termination in print("\(termination)") }
        /// )
        /// ```
        ///
        /// Each subscription sends the request, with `Accept: text/event-stream`. When the response ends, or the connection
        /// fails, it waits for the reconnection time, and sends the request again. The field `Last-Event-ID` then has the
        /// identifier of the last event that the subscriber has received. The client's redirect policy and time limits
        /// apply. A stream without a byte for `HTTPClientTimeouts/idle` counts as a failed connection.
        ///
        /// A pause pauses the server, as for ``HTTPBody/signal``. Disposing the subscription cancels the request or the timer.
        /// Each subscription occupies one of ``HTTPClientConfiguration/connectionsPerOrigin``.
        ///
        /// Events and timers arrive on a loop of the client: the caller's, or the next in rotation. If that loop is disposed,
        /// the signal does not terminate.
        ///
        /// The signal completes if the server answers with 204. It never completes otherwise. It fails with:
        ///
        /// - `notEventStream` if the response has another status than 200, or another type than `text/event-stream`.
        /// - `contentTooLarge` if a line or an event exceeds its limit.
        /// - Any failure of ``send(_:)`` except `connection`, `timedOut` and `incomplete`, after which it reconnects.
        ///
        /// - Parameters:
        ///   - request: The request. A body must consist of stored bytes, because several requests may be sent.
        ///   - configuration: The settings.
        /// - Returns: A cold signal of events.
        public func events(
            _ request: HTTPRequestMessage,
            configuration: EventSourceConfiguration = EventSourceConfiguration()
        ) -> Signal<ServerSentEvent, HTTPError> {
            Signal { [self] emitter, subscription in
                let loop = pool().value.loop
                let events = EventSource(self, request, configuration, on: loop).events
                // A disposed loop runs no job. Its request fails.
                if loop.isDisposed { return events.subscribe(emitter, in: subscription) }
                // On the loop, so that the first request uses it too.
                loop.runOrExecute { events.subscribe(emitter, in: subscription) }
            }
        }
    }

    /// The state of one subscription to events: where the stream continues, and how long to wait before.
    final class EventSource: Sendable {
        /// The stream has ended, and another attempt follows.
        private struct Interruption: Error {}

        private enum Step: Sendable {
            case event(ServerSentEvent)
            /// An identifier without an event.
            case position(String)
            case failed(HTTPError)
        }

        private struct State {
            var lastEventID: String
            var reconnectionTime: Duration
            /// The attempts in a row that have not received an event stream.
            var failures = 0
            var hasTried = false
        }

        /// The bounds of reconnection times.
        static let times = Duration.milliseconds(100)...Duration.seconds(3600)

        private let client: HTTPClient
        private let request: HTTPRequestMessage
        private let configuration: EventSourceConfiguration
        private let loop: any LoopScheduler
        private let state: Lock<State>

        init(
            _ client: HTTPClient,
            _ request: HTTPRequestMessage,
            _ configuration: EventSourceConfiguration,
            on loop: any LoopScheduler
        ) {
            self.client = client
            self.request = request
            self.configuration = configuration
            self.loop = loop
            let id = configuration.lastEventID ?? ""
            state = Lock(State(lastEventID: id, reconnectionTime: Self.clamped(configuration.reconnectionTime)))
        }

        private static func clamped(_ time: Duration) -> Duration {
            min(max(time, times.lowerBound), times.upperBound)
        }

        /// The events. Subscribe once.
        var events: Signal<ServerSentEvent, HTTPError> {
            let attempt = delay.flatMap(.concat) { [self] _ in
                client.send(nextRequest()).map { Result.success($0) }.flatMapError { .just(.failure($0)) }
                    .setFailureType(to: Interruption.self)
                    .flatMap(.concat) { self.steps(of: $0) }
            }
            return attempt.retry().mapError { _ in HTTPError(.incomplete, "the event stream has ended") }
                .attemptMap { [self] step throws(HTTPError) in
                    switch step {
                    case .event(let event):
                        state.withLock { $0.lastEventID = event.id ?? "" }
                        return event
                    case .position(let id):
                        state.withLock { $0.lastEventID = id }
                        return nil
                    case .failed(let error): throw error
                    }
                }
                .compactMap { $0 }
        }

        // MARK: Attempts

        /// Sends a value when it is time for the next attempt.
        private var delay: Signal<Void, Interruption> {
            Signal { [self] emitter, subscription in
                guard let time = nextDelay() else {
                    emitter.send(())
                    return emitter.complete()
                }
                Signal<Void, Never>.timer(after: time, on: loop).setFailureType(to: Interruption.self)
                    .subscribe(emitter, in: subscription)
            }
        }

        /// The time before the next attempt. `nil` for the first one.
        private func nextDelay() -> Duration? {
            let (isFirst, failures, time) = state.withLock { state in
                defer { state.hasTried = true }
                return (!state.hasTried, state.failures, state.reconnectionTime)
            }
            if isFirst { return nil }
            guard failures > 1 else { return time }
            var random = AmbientRandom()
            let number = Double.random(in: 0...1, using: &random)
            return time + configuration.backoff.delay(before: failures - 2, random: number)
        }

        private func nextRequest() -> HTTPRequestMessage {
            var next = request
            next.head.headerFields[.accept] = "text/event-stream"
            next.head.headerFields[.cacheControl] = "no-cache"
            let id = state.withLock { $0.lastEventID }
            if let name = HTTPField.Name("Last-Event-ID"), !id.isEmpty { next.head.headerFields[name] = id }
            return next
        }

        // MARK: Responses

        private func steps(of result: Result<HTTPResponseMessage, HTTPError>) -> Signal<Step, Interruption> {
            switch result {
            case .failure(let error):
                if Self.isTransient(error) { state.withLock { $0.failures += 1 } }
                return Self.end(error)
            case .success(let response):
                if response.head.status == .noContent { return .empty }
                if let error = Self.refusal(response.head) { return .just(.failed(error)) }
                state.withLock { $0.failures = 0 }
                return stream(response.body)
            }
        }

        /// The steps of one event stream. It ends with an interruption.
        private func stream(_ body: HTTPBody) -> Signal<Step, Interruption> {
            let id = state.withLock { $0.lastEventID }
            let parser = EventStreamParser(limits: configuration.limits, lastEventID: id)
            return body.signal
                .scanMap(into: parser) { [self] (parser, bytes) -> [Step] in
                    var steps: [Step] = []
                    let failure = parser.readEvents(of: bytes) { event in steps.append(.event(event)) }
                    steps.append(failure.map(Step.failed) ?? .position(parser.lastEventID))
                    if let time = parser.reconnectionTime {
                        state.withLock { $0.reconnectionTime = Self.clamped(time) }
                    }
                    return steps
                }
                .flatMap(.concat) { Signal<Step, HTTPError>(values: $0) }
                .flatMapError { Self.end($0) }
                .concat(.fail(Interruption()))
        }

        /// Whether another attempt may succeed.
        private static func isTransient(_ error: HTTPError) -> Bool {
            [.connection, .timedOut, .incomplete].contains(error.code)
        }

        private static func end(_ error: HTTPError) -> Signal<Step, Interruption> {
            isTransient(error) ? .fail(Interruption()) : .just(.failed(error))
        }

        /// Why a response is no event stream, or `nil`.
        private static func refusal(_ head: HTTPResponse) -> HTTPError? {
            if head.status == .ok, head.hasEvents { return nil }
            let type = head.headerFields[.contentType] ?? ""
            let seen = head.status == .ok ? "content type \"\(type)\"" : "status \(head.status)"
            var error = HTTPError(.notEventStream, "the server answered with the \(seen) instead of events")
            error.isOfOrigin = true
            return error
        }
    }
#endif
