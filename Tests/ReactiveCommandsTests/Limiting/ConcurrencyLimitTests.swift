// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Testing

/// The limit in a closed loop with a service, in virtual time.
@Suite struct ConcurrencyLimitTests {
    private typealias Spread = OverloadedSystem.Spread

    @Test("Without a limit, twice the capacity makes the latency grow without bounds")
    func unlimited() {
        let result = OverloadedSystem().run(nil)
        #expect(result.latency(0.5) > 10)
    }

    @Test(
        "At twice the capacity, the goodput stays and the latency is bounded",
        arguments: [(8, 0.01), (2, 0.1), (64, 0.05)] as [(Int, Double)],
        OverloadedSystem.Spread.allCases
    )
    func twice(_ size: (slots: Int, service: Double), _ spread: OverloadedSystem.Spread) {
        var system = OverloadedSystem(slots: { _ in size.slots }, service: { _ in size.service }, spread: spread)
        // As many requests for each size, so that the tests of large services do not take longer.
        system.seconds = min(60, 40_000 * size.service / Double(size.slots))
        system.load = { _ in 0.5 }
        let unloaded = system.run(ConcurrencyLimit())
        system.load = { _ in 2 }
        let result = system.run(ConcurrencyLimit())
        #expect(unloaded.rejected < unloaded.answered / 20)
        #expect(result.goodput > 0.8, "\(result.limits)")
        #expect(result.latency(0.99) < 5 * unloaded.latency(0.99))
    }

    @Test("Three minutes of overload do not change that", arguments: OverloadedSystem.Spread.allCases)
    func noDrift(_ spread: OverloadedSystem.Spread) {
        let result = OverloadedSystem(spread: spread, seconds: 180).run(ConcurrencyLimit())
        #expect(result.goodput > 0.9)
        #expect(result.limits.suffix(90).reduce(0, +) / 90 < 40, "\(result.limits)")
    }

    @Test("Instants of several threads may be out of order", arguments: [0.0001, 0.005])
    func disorder(_ disorder: Double) {
        let result = OverloadedSystem(disorder: disorder).run(ConcurrencyLimit())
        #expect(result.goodput > 0.9 && result.latency(0.99) < 0.05, "\(result.limits)")
    }

    @Test("It follows a loss and a gain of capacity", arguments: OverloadedSystem.Spread.allCases)
    func capacitySteps(_ spread: OverloadedSystem.Spread) {
        let slots = { (time: Double) in time < 20 || time > 40 ? 16 : 4 }
        let result = OverloadedSystem(slots: slots, spread: spread).run(ConcurrencyLimit())
        #expect(result.goodput > 0.9)
        let means = [result.limits[10..<20], result.limits[30..<40], result.limits[50..<60]]
            .map { $0.reduce(0, +) / $0.count }
        #expect(means[1] * 3 / 2 < min(means[0], means[2]), "\(result.limits)")
    }

    @Test("It learns that each request takes longer", arguments: [2.0, 4.0], [0.7, 2.0])
    func slowerRequests(_ factor: Double, _ load: Double) {
        let service = { (time: Double) in time < 20 ? 0.01 : 0.01 * factor }
        let system = OverloadedSystem(slots: { _ in 32 }, service: service, load: { _ in load })
        #expect(system.run(ConcurrencyLimit()).goodput > 0.9)
    }

    @Test("A herd of clients is rejected, and the next second is normal")
    func herd() {
        let load = { (time: Double) in time.truncatingRemainder(dividingBy: 10) < 1 ? 20.0 : 0.5 }
        let result = OverloadedSystem(load: load).run(ConcurrencyLimit())
        #expect(result.goodput > 0.95 && result.latency(0.99) < 0.05)
    }

    @Test("Requests whose clients leave are not measured")
    func aborts() {
        #expect(OverloadedSystem(aborts: 0.5).run(ConcurrencyLimit()).goodput > 0.9)
        var limit = ConcurrencyLimit()
        for second in 0..<1000 {
            let now = OverloadedSystem.instant(Double(second))
            #expect(limit.begin(at: now) == true)
            limit.end(.ignored, begun: now, at: now + .milliseconds(100))
        }
        #expect(limit.baseline == nil && limit.underWay == 0)
    }

    @Test("Dropped requests reduce the limit to its minimum")
    func drops() {
        var limit = ConcurrencyLimit(minimum: 2)
        var now = LoopInstant(nanoseconds: 0)
        for step in 0..<5000 {
            now = now + .milliseconds(10)
            if limit.begin(at: now) {
                limit.end(step < 20 ? .completed : .dropped, begun: now, at: now + .milliseconds(10))
            }
        }
        #expect(limit.limit == 2)
    }

    @Test("A few dropped requests among many do not change the limit")
    func fewDrops() {
        var limit = ConcurrencyLimit(initial: 16)
        for step in 0..<20_000 {
            let now = OverloadedSystem.instant(Double(step) * 0.001)
            guard limit.begin(at: now) else { continue }
            limit.end(step % 100 == 99 ? .dropped : .completed, begun: now, at: now + .microseconds(900))
        }
        #expect(limit.limit == 16)
    }

    @Test("The highest bounds and durations do not overflow")
    func highest() {
        for var limit in [
            ConcurrencyLimit(minimum: .max), ConcurrencyLimit(initial: .max, maximum: .max),
            ConcurrencyLimit(initial: .max, maximum: .max, tolerance: 1),
        ] {
            for step in 0..<100 {
                let now = OverloadedSystem.instant(Double(step) * 100)
                #expect(limit.begin(at: now) == true)
                limit.end(.completed, begun: .distantPast, at: now)
            }
            #expect(limit.limit <= 1 << 30 && (limit.baseline ?? .zero) > .seconds(1_000_000))
        }
    }

    @Test("A limit that is not in use does not drift")
    func idle() {
        var limit = ConcurrencyLimit(initial: 20)
        for step in 0..<10_000 {
            let now = OverloadedSystem.instant(Double(step) * 0.02)
            #expect(limit.begin(at: now) == true)
            limit.end(.completed, begun: now, at: now + .milliseconds(10))
        }
        #expect(limit.limit == 20 && limit.baseline == .milliseconds(10))
    }

    @Test("Requests that never end do not keep the limit of a probe")
    func stuckProbe() {
        var limit = ConcurrencyLimit(initial: 16)
        let start = LoopInstant(nanoseconds: 0)
        var stuck = 0
        while limit.begin(at: start) { stuck += 1 }
        #expect(stuck == 4)
        #expect(limit.begin(at: start + .milliseconds(900)) == false)
        #expect(limit.begin(at: start + .milliseconds(1100)) == true)
        #expect(limit.limit == 16)
    }

    @Test("Values outside of the ranges count as the nearest bound")
    func bounds() {
        let limit = ConcurrencyLimit(
            initial: .max,
            minimum: -1,
            maximum: 0,
            tolerance: .nan,
            smoothing: .nan,
            window: .seconds(-1),
            probeInterval: .zero
        )
        #expect(limit.minimum == 1 && limit.maximum == 1 && limit.limit == 1)
        #expect(limit.tolerance == 1 && limit.smoothing == 0.01)
        #expect(limit.window == .milliseconds(1) && limit.probeInterval == .milliseconds(10))
        #expect(ConcurrencyLimit(tolerance: .infinity).tolerance == 1000)
    }

    /// Instants jump, requests end in any order and never, and durations are negative, zero and huge.
    @Test("Random calls keep the invariants", arguments: 0..<50)
    func random(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (minimum, maximum) = (Int.random(in: 1...5, using: &random), Int.random(in: 5...200, using: &random))
        var limit = ConcurrencyLimit(minimum: minimum, maximum: maximum)
        var begun: [LoopInstant] = []
        var now = LoopInstant(nanoseconds: 0)
        for _ in 0..<5000 {
            switch Int.random(in: 0..<200, using: &random) {
            case 0: now = LoopInstant(nanoseconds: .random(in: .min ... .max, using: &random))
            case 1: now = [.distantPast, .distantFuture].randomElement(using: &random) ?? now
            case 2: now = now + .seconds(-5)
            default: now = now + .microseconds(Int.random(in: 0...10_000, using: &random))
            }
            if Bool.random(using: &random) {
                let hasRoom = begun.count < limit.limit
                let isAdmitted = limit.begin(at: now)
                // A probe that takes too long ends in `begin`, which raises the limit.
                #expect(isAdmitted == (begun.count < limit.limit) && (isAdmitted || !hasRoom))
                if isAdmitted { begun.append(now) }
            } else if let index = begun.indices.randomElement(using: &random) {
                let outcomes: [ConcurrencyLimit.Outcome] = [.completed, .completed, .completed, .dropped, .ignored]
                limit.end(outcomes.randomElement(using: &random) ?? .ignored, begun: begun.remove(at: index), at: now)
            }
            #expect(limit.underWay == begun.count)
            #expect((minimum...maximum).contains(limit.limit))
        }
    }
}
