// SPDX-License-Identifier: MIT
#if Tracing
    public import ReactiveSignals

    /// The limits of a ``SpanExporter``.
    public struct SpanExporterLimits: Sendable, Hashable {
        /// The largest number of spans that wait or are being sent. Others are dropped.
        public var spans = 2048
        /// The largest size of these spans, encoded. Others are dropped.
        public var bytes = 4 * 1024 * 1024
        /// The number of spans in a request. Less than one counts as one.
        public var batch = 512 { didSet { batch = max(1, batch) } }
        /// The longest time that a span waits for a batch to become full.
        public var delay = Duration.seconds(1)
        /// The time limit of a request.
        public var timeout = Duration.seconds(10)
        /// How often a request is repeated. After that, its spans are counted as failed.
        public var retries = 3
        /// The delays between repetitions.
        public var backoff = Backoff(first: .milliseconds(200))

        /// Creates the default limits.
        public init() {}
    }

    /// The counters of a ``SpanExporter``.
    public struct SpanExporterStatistics: Sendable, Hashable {
        /// The spans that the collector has accepted.
        public var sent = 0
        /// The spans that the collector has refused, or that could not be sent.
        public var failed = 0
        /// The spans beyond the limits, and those that remained when the exporter was stopped.
        public var dropped = 0

        /// Creates counters of zero.
        public init() {}
    }
#endif
