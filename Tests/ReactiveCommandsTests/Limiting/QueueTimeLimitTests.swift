// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Testing

@Suite struct QueueTimeLimitTests {
    /// A model that remembers every wait.
    private struct Model {
        let (target, interval): (Duration, Duration)
        var isOverloaded = false
        var begin: LoopInstant?
        var waits: [Duration] = []

        mutating func admits(_ wait: Duration, _ now: LoopInstant) -> Bool {
            let age = begin.map { now - $0 }
            if let age, age > .zero - interval, age < interval {
                waits.append(wait)
            } else {
                // Neither a pause nor a clock that has gone back says anything about the queue.
                let wasObserved = age.map { $0 >= .zero && $0 < interval + interval } ?? false
                isOverloaded = wasObserved && waits.allSatisfy { $0 > target }
                (begin, waits) = (now, [wait])
            }
            return !(isOverloaded && wait > target + target)
        }
    }

    @Test("It decides as a model that remembers every wait", arguments: 0..<50)
    func model(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let target = Duration.milliseconds(Int.random(in: 0...20, using: &random))
        let interval = Duration.milliseconds(Int.random(in: 1...200, using: &random))
        var limit = QueueTimeLimit(target: target, interval: interval)
        var model = Model(target: target, interval: interval)
        var now = LoopInstant(nanoseconds: 0)
        for _ in 0..<3000 {
            let step = Int.random(in: 0..<500, using: &random)
            switch step {
            case 0: now = LoopInstant(nanoseconds: .random(in: .min ... .max, using: &random))
            case 1: now = now + .seconds(-1)
            case 2: now = now + interval * 3
            case 3..<100: now = now + .microseconds(-50)
            default: now = now + .milliseconds(Int.random(in: 0...10, using: &random))
            }
            var wait = Duration.milliseconds(Int.random(in: 0...50, using: &random))
            if step == 100 { wait = .nanoseconds(Int64.max) }
            #expect(limit.admits(afterWaiting: wait, at: now) == model.admits(wait, now))
            #expect(limit.isOverloaded == model.isOverloaded)
        }
    }

    /// One server takes a millisecond for each request. Clients do not wait.
    private func simulate(_ limit: QueueTimeLimit?, load: (Int) -> Int) -> (answered: Int, waits: [Int]) {
        var limit = limit
        var queue: [Int] = []
        var (head, answered, waits): (Int, Int, [Int]) = (0, 0, [])
        for millisecond in 0..<60_000 {
            for _ in 0..<load(millisecond) { queue.append(millisecond) }
            while head < queue.count {
                let wait = millisecond - queue[head]
                head += 1
                let now = LoopInstant(nanoseconds: Int64(millisecond) * 1_000_000)
                if limit?.admits(afterWaiting: .milliseconds(wait), at: now) ?? true {
                    answered += 1
                    waits.append(wait)
                    break
                }
            }
        }
        return (answered, waits.sorted())
    }

    @Test("At twice the capacity, it keeps the goodput and bounds the wait")
    func overload() {
        let limited = simulate(QueueTimeLimit()) { _ in 2 }
        #expect(limited.answered > 59_900)
        #expect(limited.waits[limited.waits.count * 99 / 100] <= 10)
        let unlimited = simulate(nil) { _ in 2 }
        #expect(unlimited.waits[unlimited.waits.count / 2] > 10_000)
    }

    @Test("A burst that is served within the interval loses nothing")
    func burst() {
        let result = simulate(QueueTimeLimit()) { $0.isMultiple(of: 100) ? 80 : 0 }
        #expect(result.answered == 600 * 80)
    }

    @Test("Negative waits count as zero, and values outside of the ranges as the nearest bound")
    func bounds() {
        var limit = QueueTimeLimit(target: .seconds(-1), interval: .zero)
        #expect(limit.target == .zero && limit.interval == .milliseconds(1))
        #expect(limit.admits(afterWaiting: .seconds(-5), at: .distantPast) == true)
        #expect(limit.admits(afterWaiting: .zero, at: .distantFuture) == true)
        #expect(!limit.isOverloaded)
    }
}
