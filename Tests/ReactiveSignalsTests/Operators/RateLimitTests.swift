// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import SchedulerConformance
import Testing

/// `rateLimit(_:per:on:limit:)` with a source that is never paused. All instants are milliseconds of virtual time.
@Suite struct RateLimitTests {
    /// Sends one value at each of the instants. Returns the instants at which the limited signal sends them.
    private func limited(_ arrivals: [Int], count: Int, interval: Int) throws -> [Int] {
        let (time, subject) = (TestScheduler(), Subject<Int, Never>())
        let sent = Log<(value: Int, instant: Int)>()
        let subscription = SignalSubscription()
        subject.signal.rateLimit(count, per: .milliseconds(interval), on: time, limit: .max).subscribe(
            in: subscription,
            onValue: { value in sent.add((value, Int(time.now.nanoseconds / 1_000_000))) }
        )
        for (value, arrival) in arrivals.enumerated() {
            try time.advance(to: LoopInstant(nanoseconds: Int64(arrival) * 1_000_000))
            subject.send(value)
        }
        try time.run()
        subscription.dispose()
        #expect(sent.entries.map(\.value) == Array(arrivals.indices))
        return sent.entries.map(\.instant)
    }

    /// The instants of the sends: for each value the first one, not before the previous send, at which fewer than
    /// `count` sends lie in the last interval.
    private func model(_ arrivals: [Int], count: Int, interval: Int) -> [Int] {
        var sent: [Int] = []
        for arrival in arrivals {
            var instant = max(arrival, sent.last ?? 0)
            while sent.count(where: { $0 + interval > instant }) >= count { instant += 1 }
            sent.append(instant)
        }
        return sent
    }

    @Test("With the largest count, every value is sent immediately")
    func largestCount() throws {
        let arrivals = (0..<2000).map { $0 / 4 }
        #expect(try limited(arrivals, count: .max, interval: 100) == arrivals)
    }

    @Test("With an interval of zero or less, every value is sent immediately", arguments: [1, 3], [0, -5])
    func noInterval(_ count: Int, _ interval: Int) throws {
        let arrivals = (0..<200).map { $0 / 4 }
        #expect(try limited(arrivals, count: count, interval: interval) == arrivals)
    }

    @Test("Sends before the last interval do not count")
    func silence() throws {
        let arrivals = [0, 0, 10, 11, 11, 12, 30, 30, 30, 30]
        #expect(try limited(arrivals, count: 3, interval: 10) == [0, 0, 10, 11, 11, 20, 30, 30, 30, 40])
    }

    @Test("A value is sent as soon as fewer sends than the count lie in the last interval")
    func comparedWithModel() throws {
        for seed in UInt64(0)..<500 {
            var random = SplitMix64(seed: seed)
            let count = Int.random(in: 1...5, using: &random)
            let interval = Int.random(in: 0...8, using: &random)
            var now = 0
            let arrivals = (0..<40).map { _ in
                let most = [0, 2, 15].randomElement(using: &random) ?? 0
                now += Int.random(in: 0...most, using: &random)
                return now
            }
            let sent = try limited(arrivals, count: count, interval: interval)
            #expect(
                sent == model(arrivals, count: count, interval: interval),
                "seed \(seed): \(count) per \(interval) ms, arrivals \(arrivals)"
            )
        }
    }
}
