// SPDX-License-Identifier: MIT
#if Tracing
    import HTTPTypes
    import ReactiveCore
    public import ReactiveHTTP
    public import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Sends spans to a collector with OTLP over HTTP, in batches.
    ///
    /// Spans wait until a batch is full or ``SpanExporterLimits/delay`` has passed. One request is under way at a time.
    /// A request that the collector cannot serve now is repeated with growing delays. Any thread may use every member.
    ///
    /// Memory is bounded by ``SpanExporterLimits``: spans beyond it are dropped and counted. A waiting batch does not
    /// keep a loop alive. Call ``stop(within:)`` before you end the process.
    public final class SpanExporter: Sendable {
        private struct State: Sendable {
            /// Encoded spans.
            var waiting = FIFO<[UInt8]>()
            /// The number of spans that have been added so far, and of those that were sent, refused or dropped.
            var (added, settled) = (0, 0)
            /// The number and size of the spans that wait or are being sent.
            var count: Int { added - settled }
            var size = 0
            /// Whether a timer or a job will send a batch.
            var isArmed = false
            var isUrgent = false
            var isSending = false
            var isStopped = false
            /// The request under way.
            var request: (any Disposable)?
            /// The flushes, and how many spans had been added before each.
            var flushes: [(added: Int, end: Subject<Never, Never>)] = []
            var statistics = SpanExporterStatistics()
        }

        private enum Due {
            case nothing, later, now
        }

        private let url: String
        private let client: HTTPClient
        private let loop: any LoopScheduler
        private let limits: SpanExporterLimits
        /// The encoded message `Resource`.
        private let resource: [UInt8]
        private let state = Lock(State())

        /// Creates an exporter. It opens no connection before the first batch.
        ///
        /// - Parameters:
        ///   - url: The address that receives traces, for example `http://localhost:4318/v1/traces`.
        ///   - client: Sends the requests. Its first loop runs the timers.
        ///   - service: The name of this service.
        ///   - attributes: Other attributes of this process, such as `service.version`.
        ///   - limits: The limits of batches and memory.
        public init(
            to url: String,
            client: HTTPClient,
            service: String,
            attributes: [String: String] = [:],
            limits: SpanExporterLimits = SpanExporterLimits()
        ) {
            self.url = url
            self.client = client
            self.limits = limits
            loop = client.loops.loops[0]
            resource = ExportRequest.resource(["service.name": service].merging(attributes) { _, new in new })
        }

        /// The counters so far.
        public var statistics: SpanExporterStatistics { state.withLock { $0.statistics } }

        /// Adds an encoded span.
        func add(_ span: [UInt8]) {
            let due = state.withLock { state -> Due in
                guard !state.isStopped, state.count < limits.spans, state.size + span.count <= limits.bytes else {
                    state.statistics.dropped += 1
                    return .nothing
                }
                state.waiting.append(span)
                state.added += 1
                state.size += span.count
                return next(&state)
            }
            act(due)
        }

        /// Decides when to send the spans that wait. Call it with the lock held.
        private func next(_ state: inout State) -> Due {
            if state.isSending || state.waiting.isEmpty { return .nothing }
            if state.waiting.count >= limits.batch || state.isStopped || !state.flushes.isEmpty {
                if state.isUrgent { return .nothing }
                state.isUrgent = true
                return .now
            }
            if state.isArmed { return .nothing }
            state.isArmed = true
            return .later
        }

        private func act(_ due: Due) {
            switch due {
            case .nothing: break
            case .now: loop.execute { [weak self] in self?.send() }
            case .later:
                let options = TimerOptions(leeway: limits.delay * 0.1, keepsLoopAlive: false)
                loop.schedule(at: loop.now + limits.delay, options: options) { [weak self] in self?.send() }
            }
        }

        /// Sends a batch. Runs on the loop.
        private func send() {
            let spans = state.withLock { state -> [[UInt8]] in
                (state.isArmed, state.isUrgent) = (false, false)
                if state.isSending || state.waiting.isEmpty { return [] }
                state.isSending = true
                var spans: [[UInt8]] = []
                while spans.count < limits.batch, let span = state.waiting.popFirst() { spans.append(span) }
                return spans
            }
            if spans.isEmpty { return }
            let fields: HTTPFields = [.contentType: "application/x-protobuf"]
            let body = HTTPBody(Bytes(ExportRequest.encoded(resource, spans)))
            let count = spans.count
            let size = spans.reduce(0) { $0 + $1.count }
            let request = client.send(.post(url, fields: fields, body: body))
                .flatMap { response -> Signal<Bool, HTTPError> in
                    switch response.head.status.code {
                    case 200..<300: .just(true)
                    // The specification of OTLP names these as temporary.
                    case 429, 502, 503, 504: .fail(HTTPError(.serviceFailed, "the collector is busy"))
                    default: .just(false)
                    }
                }
                .timeout(after: limits.timeout, raising: HTTPError(.timedOut, "the collector is slow"), on: loop)
                .retry(upTo: limits.retries, backoff: limits.backoff, on: loop)
                .flatMapError { _ in .just(false) }
                .take(1)
                .subscribe(onValue: { [self] isSent in finish(count, size, isSent) })
            state.withLock { if $0.isSending { $0.request = request } }
        }

        private func finish(_ count: Int, _ size: Int, _ isSent: Bool) {
            // The subscription is released outside the lock.
            let (due, flushes, request) = state.withLock {
                state -> (Due, [Subject<Never, Never>], (any Disposable)?) in
                // `stop` has dropped these spans.
                if !state.isSending { return (.nothing, [], nil) }
                state.isSending = false
                state.settled += count
                state.size -= size
                if isSent { state.statistics.sent += count } else { state.statistics.failed += count }
                let settled = state.settled
                let flushes = state.flushes.filter { $0.added <= settled }.map(\.end)
                state.flushes.removeAll { $0.added <= settled }
                return (next(&state), flushes, state.request.take())
            }
            _ = request
            for flush in flushes { flush.complete() }
            act(due)
        }

        /// Sends the spans that wait, now.
        ///
        /// - Returns: A signal that completes when these spans have been sent, or the collector has refused them. Later
        ///   spans do not delay it. It may be ignored.
        @discardableResult
        public func flush() -> Signal<Never, Never> {
            let flush = Subject<Never, Never>()
            let (due, isIdle) = state.withLock { state -> (Due, Bool) in
                if state.count == 0 || loop.isDisposed { return (.nothing, true) }
                state.flushes.append((state.added, flush))
                return (next(&state), false)
            }
            if isIdle { flush.complete() }
            act(due)
            return flush.signal
        }

        /// Sends the spans that wait, and drops later ones. What remains after `limit` is dropped and counted.
        ///
        /// - Returns: A signal that completes when no span is left. It may be ignored.
        @discardableResult
        public func stop(within limit: Duration) -> Signal<Never, Never> {
            state.withLock { $0.isStopped = true }
            let end = Subject<Never, Never>()
            let timer = loop.schedule(at: loop.now + limit, options: TimerOptions()) { [self] in
                let (flushes, request) = state.withLock { state -> ([Subject<Never, Never>], (any Disposable)?) in
                    _ = state.waiting.takeAll()
                    state.statistics.dropped += state.count
                    (state.settled, state.size, state.isSending) = (state.added, 0, false)
                    defer { state.flushes = [] }
                    return (state.flushes.map(\.end), state.request.take())
                }
                request?.dispose()
                for flush in flushes { flush.complete() }
                end.complete()
            }
            flush().subscribe(onTermination: { _ in
                timer.dispose()
                end.complete()
            })
            return end.signal
        }
    }
#endif
