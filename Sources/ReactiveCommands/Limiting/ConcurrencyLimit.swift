// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A limit on concurrent requests that adapts to the measured latency.
///
/// The limit grows while requests are as fast as on an idle service, and shrinks when they become slower. So a service
/// that receives more requests than it can answer keeps its throughput and its latency, and rejects the rest.
///
/// It is a value without a clock and without a lock: each call receives the instant, in the order of the calls.
/// ``LoadLimiter`` shares one between threads. Instants may jump, and may be slightly out of order. A request whose duration is negative is not measured.
///
/// ## What is measured
///
/// The duration of a request is the time from ``begin(at:)`` to ``end(_:begun:at:)``. The mean of a window is compared with
/// a baseline, which is the mean while few requests are under way. With tolerance `t`, baseline `b` and mean `m`, each
/// window replaces the limit `L` by `L · g + √L`, where `g` is `t · b / m`, at least 0.5 and at most 1. The change is
/// smoothed. If a tenth of its requests were dropped, the limit becomes `0.9 · L`. If fewer than half of the
/// limit were under way, the limit stays.
///
/// A limit that stays in use hides the baseline. So if no window has been close to the baseline for `probeInterval`, a
/// probe lowers the limit to `L / 2t` until ten requests have been measured. The first ten requests are such a probe too.
/// The gradient is that of Netflix's concurrency-limits, and the probe is that of Envoy's adaptive concurrency
/// (Docs/Decisions/0060).
public struct ConcurrencyLimit: Sendable {
    /// The result of a request.
    public enum Outcome: Sendable, Hashable {
        /// It was answered. Its duration is measured.
        case completed
        /// Overload below has ended it: a time-out, or a rejection by another service. It reduces the limit.
        case dropped
        /// It is not measured, because its client has left or because it failed for another reason.
        case ignored
    }

    /// The lowest limit.
    public let minimum: Int
    /// The highest limit.
    public let maximum: Int
    /// How much slower than the baseline requests may become before the limit shrinks.
    public let tolerance: Double
    /// The part of each change that is applied, above 0 and at most 1.
    public let smoothing: Double
    /// The shortest time for which samples are collected before the limit changes.
    public let window: Duration
    /// The time after which a baseline that no window has confirmed is measured again.
    public let probeInterval: Duration

    /// The number of requests that have begun and not ended.
    public private(set) var underWay = 0

    /// More requests than any process has. Twice this number is no overflow.
    private static let highest = 1 << 30

    private var estimate: Double
    /// The duration of a request on an idle service, in nanoseconds.
    private var idleDuration: Double?
    private var samples = SampleWindow()
    private var phase = Phase.starting

    private enum Phase: Sendable {
        /// No request has begun.
        case starting
        /// The limit is lowered, and a cohort of requests measures the baseline.
        case probing(Probe)
        /// The limit adapts. The instant and the limit are those of the last window that was close to the baseline.
        case adapting(confirmed: LoopInstant, estimate: Double)
    }

    /// Creates a limit. Values outside of a parameter's range count as the nearest bound.
    ///
    /// - Parameters:
    ///   - initial: The limit before anything is measured.
    ///   - minimum: The lowest limit, at least 1.
    ///   - maximum: The highest limit, at least `minimum` and at most 2^30.
    ///   - tolerance: How much slower than the baseline requests may become before the limit shrinks, at least 1. A
    ///     higher value allows a longer queue.
    ///   - smoothing: The part of each change that is applied, from 0.01 to 1.
    ///   - window: The shortest time for which samples are collected, at least a millisecond. A window also contains ten
    ///     samples or more, and lasts at least as long as two requests.
    ///   - probeInterval: The time after which an unconfirmed baseline is measured again, at least ten windows.
    public init(
        initial: Int = 16,
        minimum: Int = 1,
        maximum: Int = 1000,
        tolerance: Double = 2,
        smoothing: Double = 0.2,
        window: Duration = .milliseconds(100),
        probeInterval: Duration = .seconds(10)
    ) {
        self.minimum = min(max(1, minimum), Self.highest)
        self.maximum = min(max(self.minimum, maximum), Self.highest)
        self.tolerance = tolerance >= 1 ? min(tolerance, 1000) : 1
        self.smoothing = smoothing >= 0.01 ? min(smoothing, 1) : 0.01
        self.window = min(max(window, .milliseconds(1)), .seconds(3600))
        self.probeInterval = max(probeInterval, self.window * 10)
        estimate = Double(min(max(initial, self.minimum), self.maximum))
    }

    /// The number of requests that may be under way now. It is lower during a probe.
    public var limit: Int {
        switch phase {
        case .starting, .probing: probeLimit
        case .adapting: Int(estimate)
        }
    }

    /// The measured duration of a request on an idle service. `nil` means that too few requests have ended.
    public var baseline: Duration? { idleDuration.map { .nanoseconds($0 < 0x1p63 ? Int64($0) : .max) } }

    /// Admits a request, or returns false because the limit is reached. Call ``end(_:begun:at:)`` once for each admitted
    /// request.
    public mutating func begin(at now: LoopInstant) -> Bool {
        switch phase {
        case .starting: phase = .probing(Probe(at: now, below: probeLimit))
        case .probing(let probe):
            // Requests that never end must not lower the limit forever.
            if isFar(now, from: probe.begin, probePatience) { adapt(at: now) }
        case .adapting: break
        }
        guard underWay < limit else { return false }
        if case .probing(var probe) = phase {
            probe.begin(at: now)
            phase = .probing(probe)
        }
        underWay += 1
        samples.mostUnderWay = max(samples.mostUnderWay, underWay)
        return true
    }

    /// Records the end of an admitted request.
    ///
    /// - Parameters:
    ///   - outcome: Whether the request is measured.
    ///   - begun: The instant at which it was admitted.
    ///   - now: The current instant.
    public mutating func end(_ outcome: Outcome, begun: LoopInstant, at now: LoopInstant) {
        underWay = max(0, underWay - 1)
        switch phase {
        case .starting: return
        case .probing(var probe):
            let isOver = probe.end(outcome, begun: begun, at: now)
            phase = .probing(probe)
            guard isOver else { return }
            if let mean = probe.mean { idleDuration = mean }
            adapt(at: now)
        case .adapting:
            guard outcome != .ignored, begun <= now else { return }
            if outcome == .dropped { samples.drops += 1 } else { samples.add(begun.duration(to: now)) }
            if samples.isComplete(at: now, lasting: window) {
                update(at: now)
            } else if now < samples.begin, isFar(now, from: samples.begin, window) {
                beginWindow(at: now)
            }
        }
    }

    // MARK: Adapting

    private var probeLimit: Int { max(minimum, Int(estimate / (2 * tolerance))) }

    /// How long a probe may take.
    private var probePatience: Duration {
        max(max(window, .milliseconds(100)) * 10, .nanoseconds(Int64(min(10 * (idleDuration ?? 0), 1e12))))
    }

    /// Whether an instant is later than another one by more than a limit, or earlier, after a jump of the clock.
    private func isFar(_ now: LoopInstant, from last: LoopInstant, _ limit: Duration) -> Bool {
        now - last > limit || last - now > limit
    }

    private mutating func adapt(at now: LoopInstant) {
        phase = .adapting(confirmed: now, estimate: estimate)
        beginWindow(at: now)
    }

    private mutating func beginWindow(at now: LoopInstant) {
        samples = SampleWindow(from: now, mostUnderWay: underWay)
    }

    private mutating func update(at now: LoopInstant) {
        defer { beginWindow(at: now) }
        if samples.hasDrop { return set(0.9 * estimate) }
        let mean = samples.mean
        let baseline = adjustedBaseline(mean)
        idleDuration = baseline
        // A limit that is not in use must not drift.
        if 2 * samples.mostUnderWay >= Int(estimate) {
            let gradient = min(1, max(0.5, tolerance * baseline / mean))
            let target = estimate * gradient + estimate.squareRoot()
            set(estimate + smoothing * (target - estimate))
        }
        if mean <= 1.2 * baseline {
            phase = .adapting(confirmed: now, estimate: estimate)
        } else if case .adapting(let confirmed, let before) = phase,
            isFar(now, from: confirmed, probeInterval) || estimate < before / 2
        {
            phase = .probing(Probe(at: now, below: probeLimit))
        }
    }

    /// The baseline after a window. It follows faster requests, and slower ones while few are under way.
    private func adjustedBaseline(_ mean: Double) -> Double {
        guard let baseline = idleDuration, mean >= baseline / 2 else { return mean }
        let isIdle = samples.mostUnderWay <= probeLimit
        return mean < baseline || isIdle ? baseline + 0.1 * (mean - baseline) : baseline
    }

    private mutating func set(_ limit: Double) { estimate = min(Double(maximum), max(Double(minimum), limit)) }
}
