// SPDX-License-Identifier: MIT
#if Metrics
    public import CoreMetrics
    public import ReactiveCommands
    public import ReactiveCore
    import ReactiveSignals

    extension LoadLimiter {
        /// Records the limiter's metrics until the result is disposed.
        ///
        /// Releasing the result does not end the recording. It does not retain the limiter. With the prefix `orders` the
        /// labels are:
        ///
        /// | Label | Kind | Records |
        /// |---|---|---|
        /// | `orders.requests` | meter | admitted requests under way |
        /// | `orders.requests.limit` | meter | the limit; nothing if there is none |
        /// | `orders.requests.admitted` | counter | admitted requests |
        /// | `orders.requests.rejected` | counter | requests that were rejected because the limit was reached |
        /// | `orders.requests.expired` | counter | requests that were rejected because they had waited too long |
        /// | `orders.requests.completed`, `.dropped`, `.ignored` | counter | admitted requests by their outcome |
        /// | `orders.requests.queued` | timer | the time that each request waited in the queue of its command |
        /// | `orders.requests.duration` | timer | the duration of each completed request, with its wait |
        ///
        /// The first values are recorded on the calling thread, and the others on the threads on which requests begin and
        /// end. So a metrics handler that blocks delays the requests. Counters begin at zero when the recording begins.
        ///
        /// - Parameters:
        ///   - prefix: The prefix of all labels.
        ///   - dimensions: The dimensions of all metrics.
        ///   - factory: Creates the metrics. The default is the factory of the process.
        /// - Returns: The handle that ends the recording when it is disposed.
        @discardableResult
        public func record(
            prefix: String,
            dimensions: [(String, String)] = [],
            factory: any MetricsFactory = MetricsSystem.factory
        ) -> any Disposable {
            let metrics = LoadMetrics(MetricsNamespace(prefix: prefix, dimensions: dimensions, factory: factory))
            // Weak, because the limiter retains the subscription.
            let recording = events.signal.subscribe(onValue: { [weak self] event in
                metrics.record(event)
                // Read at each event: of two threads, the second one records the newer values.
                if let self { metrics.set(totals.underWay, limit) }
            })
            metrics.set(totals.underWay, limit)
            return recording
        }
    }

    /// The metrics of one limiter.
    private struct LoadMetrics: Sendable {
        private let underWay, limit: Meter
        private let admitted, rejected, expired, completed, dropped, ignored: Counter
        private let queued, duration: CoreMetrics.Timer

        init(_ metrics: MetricsNamespace) {
            underWay = metrics.meter("requests")
            limit = metrics.meter("requests.limit")
            admitted = metrics.counter("requests.admitted")
            rejected = metrics.counter("requests.rejected")
            expired = metrics.counter("requests.expired")
            completed = metrics.counter("requests.completed")
            dropped = metrics.counter("requests.dropped")
            ignored = metrics.counter("requests.ignored")
            queued = metrics.timer("requests.queued")
            duration = metrics.timer("requests.duration")
        }

        func set(_ count: Int, _ limit: Int?) {
            underWay.set(count)
            if let limit { self.limit.set(limit) }
        }

        func record(_ event: LoadEvent) {
            switch event {
            case .admitted: admitted.increment()
            case .rejected: rejected.increment()
            case .started(let wait): record(wait, queued)
            case .expired(let wait):
                expired.increment()
                record(wait, queued)
            case .ended(.completed, let time):
                completed.increment()
                record(time, duration)
            case .ended(.dropped, _): dropped.increment()
            case .ended(.ignored, _): ignored.increment()
            }
        }

        private func record(_ time: Duration, _ timer: CoreMetrics.Timer) {
            timer.recordNanoseconds(max(.zero, time).saturatedNanoseconds)
        }
    }
#else
    public import ReactiveCommands
    public import ReactiveCore
    import ReactiveSignals

    extension LoadLimiter {
        /// Records the limiter's metrics. It exists only in a build with the trait `Metrics`. Without the trait a call is
        /// a compile-time error.
        @available(
            *,
            unavailable,
            message: "LoadLimiter.record(…) needs the trait Metrics: .package(url: …, from: …, traits: [\"Metrics\"])"
        )
        @discardableResult
        public func record(
            prefix: String,
            dimensions: [(String, String)] = [],
            factory: Any = ()
        ) -> any Disposable {
            CompositeDisposable([])
        }
    }
#endif
