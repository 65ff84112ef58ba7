// SPDX-License-Identifier: MIT
#if Metrics
    public import CoreMetrics
    public import ReactiveCore
    import ReactiveSignals
    public import ReactiveSockets

    extension Server {
        /// Records the server's metrics until the server has stopped or the result is disposed.
        ///
        /// Releasing the result does not end the recording. With the prefix `echo` the labels are:
        ///
        /// | Label | Kind | Records |
        /// |---|---|---|
        /// | `echo.connections` | meter | open connections |
        /// | `echo.connections.accepted`, `.refused`, `.rejected`, `.ended` | counter | connections |
        /// | `echo.connections.failed` | counter | ended connections that failed |
        /// | `echo.connections.duration` | timer | the duration of each connection |
        /// | `echo.bytes.received`, `.sent` | counter | bytes; counted when their connection ends |
        /// | `echo.listeners.failed` | counter | listening sockets that failed |
        ///
        /// The first value is recorded on the calling thread, and the others on the server's loops. So a metrics handler
        /// that blocks delays the loops.
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
            let metrics = ServerMetrics(MetricsNamespace(prefix: prefix, dimensions: dimensions, factory: factory))
            return CompositeDisposable([
                connectionCount.signal.subscribe(onValue: { metrics.open.set($0) }),
                events.subscribe(onValue: { metrics.record($0) }),
            ])
        }
    }

    /// The metrics of one server.
    private struct ServerMetrics: Sendable {
        let open: Meter
        private let accepted, refused, rejected, ended, failed, received, sent, listenersFailed: Counter
        private let duration: CoreMetrics.Timer

        init(_ metrics: MetricsNamespace) {
            open = metrics.meter("connections")
            accepted = metrics.counter("connections.accepted")
            refused = metrics.counter("connections.refused")
            rejected = metrics.counter("connections.rejected")
            ended = metrics.counter("connections.ended")
            failed = metrics.counter("connections.failed")
            received = metrics.counter("bytes.received")
            sent = metrics.counter("bytes.sent")
            listenersFailed = metrics.counter("listeners.failed")
            duration = metrics.timer("connections.duration")
        }

        func record(_ event: ServerEvent) {
            switch event {
            case .accepted: accepted.increment()
            case .refused: refused.increment()
            case .rejected: rejected.increment()
            case .ended(_, let summary):
                ended.increment()
                if summary.failure != nil { failed.increment() }
                received.increment(by: summary.received)
                sent.increment(by: summary.sent)
                duration.recordNanoseconds(summary.duration.saturatedNanoseconds)
            case .failed: listenersFailed.increment()
            }
        }
    }
#else
    public import ReactiveCore
    import ReactiveSignals
    public import ReactiveSockets

    extension Server {
        /// Records the server's metrics. It exists only in a build with the trait `Metrics`. Without the trait a call
        /// is a compile-time error.
        @available(
            *,
            unavailable,
            message: "Server.record(…) needs the trait Metrics: .package(url: …, from: …, traits: [\"Metrics\"])"
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
