public import CoreMetrics
public import ReactiveCore
import ReactiveSignals
public import ReactiveSockets

extension Server {
    /// Records what happens to the server from now on, until it has stopped or the result is disposed; letting go of that does
    /// not end it.
    ///
    /// With the prefix `echo`: the counters `echo.connections.accepted`, `.refused`, `.ended` and `.failed` (broken off, among
    /// those ended), `echo.bytes.received` and `.sent` (when a connection has ended), `echo.listeners.failed`; the meter
    /// `echo.connections` of those that there are; the timer `echo.connections.duration`. They are recorded on the server's
    /// loops: a factory whose handlers block holds those up.
    ///
    /// - Parameters:
    ///   - prefix: what all labels begin with.
    ///   - dimensions: for all of them.
    ///   - factory: makes them; the process's own unless said otherwise.
    @discardableResult
    public func record(
        prefix: String,
        dimensions: [(String, String)] = [],
        factory: any MetricsFactory = MetricsSystem.factory
    ) -> any Disposable {
        let metrics = ServerMetrics(prefix, dimensions, factory)
        return CompositeDisposable([
            connectionCount.signal.subscribe(onValue: { metrics.open.set($0) }),
            events.subscribe(onValue: { metrics.record($0) }),
        ])
    }
}

/// One server's counters.
private struct ServerMetrics: Sendable {
    let open: Meter
    private let accepted, refused, ended, failed, received, sent, listenersFailed: Counter
    private let duration: CoreMetrics.Timer

    init(_ prefix: String, _ dimensions: [(String, String)], _ factory: any MetricsFactory) {
        func counter(_ name: String) -> Counter {
            Counter(label: "\(prefix).\(name)", dimensions: dimensions, factory: factory)
        }
        open = Meter(label: "\(prefix).connections", dimensions: dimensions, factory: factory)
        accepted = counter("connections.accepted")
        refused = counter("connections.refused")
        ended = counter("connections.ended")
        failed = counter("connections.failed")
        received = counter("bytes.received")
        sent = counter("bytes.sent")
        listenersFailed = counter("listeners.failed")
        duration = Timer(label: "\(prefix).connections.duration", dimensions: dimensions, factory: factory)
    }

    func record(_ event: ServerEvent) {
        switch event {
        case .accepted: accepted.increment()
        case .refused: refused.increment()
        case .ended(_, let summary):
            ended.increment()
            if summary.failure != nil { failed.increment() }
            received.increment(by: summary.received)
            sent.increment(by: summary.sent)
            duration.recordNanoseconds(Int64(summary.duration / .nanoseconds(1)))
        case .failed: listenersFailed.increment()
        }
    }
}
