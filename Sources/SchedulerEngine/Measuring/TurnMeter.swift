// SPDX-License-Identifier: MIT
import ReactiveCore

/// Measures how long a loop runs callbacks between two waits. Only the thread that holds the loop's state uses it.
final class TurnMeter {
    private(set) var lengths = TurnLengths()
    /// The number of calls that have started the measurement.
    var users = 1
    private let clock: any LoopClock
    /// When the loop began to run callbacks. `nil` while it waits or does not run.
    private var start: Int64?

    init(_ clock: any LoopClock) {
        self.clock = clock
        start = clock.now.nanoseconds
    }

    /// The loop begins to run callbacks.
    func begin() { start = clock.now.nanoseconds }

    /// The loop begins to wait, or its run ends.
    func end() {
        guard let start else { return }
        lengths.add(clock.now.nanoseconds - start)
        self.start = nil
    }
}

/// A poller that measures the time between its waits. It replaces the loop's poller while the loop is measured, so that
/// a loop that is not measured does no work for it.
final class MeasuringPoller: AnyPoller {
    private let meter: TurnMeter

    init(_ measured: AnyPoller, _ meter: TurnMeter) {
        self.meter = meter
        super.init(forwardingTo: measured)
    }

    override func wait(until deadline: PollDeadline, _ ready: (UInt64, Readiness) -> Void) throws(LoopError) {
        meter.end()
        defer { meter.begin() }
        try super.wait(until: deadline, ready)
    }
}
