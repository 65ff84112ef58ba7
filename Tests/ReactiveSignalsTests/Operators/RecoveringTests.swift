// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

@Suite struct RecoveringTests {
    private let time = Timeline()
    private var scheduler: TestScheduler { time.scheduler }

    @Test func flatMapError() {
        let source = time.cold("a-#")
        time.expect(source.signal.flatMapError { _ in self.time.cold("-b|").signal }, "a--b|")
        time.expect(source, ["^-!"])
        time.expect(time.cold("a|").signal.flatMapError { _ in Signal<Character, Never>.never }, "a|")
    }

    @Test func retry() {
        let source = time.cold("a-#")
        time.expect(source.signal.retry(upTo: 2), "a-a-a-#")
        time.expect(source, ["^-!", "--^-!", "----^-!"])
        time.expect(time.cold("a-#").signal.retry(upTo: 0), "a-#")
        time.expect(time.cold("a|").signal.retry(), "a|")
    }

    @Test func retryAfter() {
        time.expect(time.cold("a#").signal.retry(upTo: 2, after: .seconds(3), on: scheduler), "a---a---a#")
        #expect(scheduler.isIdle)
    }

    @Test func retryBackoff() {
        let backoff = Backoff(first: .seconds(1), factor: 2, maximum: .seconds(5), jitter: 0)
        time.expect(time.cold("#").signal.retry(upTo: 4, backoff: backoff, on: scheduler), "------------#")
        // A value resets the intervals.
        time.expect(time.cold("a#").signal.retry(upTo: 1, backoff: backoff, on: scheduler).take(4), "a-a-a-(a|)")
    }

    /// Each run of the source sends a value, then fails.
    @Test("A retry counts all failures, and with a backoff only those since the last value")
    func whatTheCountCounts() {
        let backoff = Backoff(first: .seconds(1), factor: 2, jitter: 0)
        let source = time.cold("a#").signal
        time.expect(source.retry(upTo: 2), "aaa#")
        time.expect(source.retry(upTo: 2, after: .seconds(1), on: scheduler), "a-a-a#")
        time.expect(source.retry(upTo: 2, backoff: backoff, on: scheduler).take(6), "a-a-a-a-a-(a|)")
        time.expect(source.retry(upTo: 0, backoff: backoff, on: scheduler), "a#")
    }

    /// The runs: two fail immediately, one sends a value and fails, three fail immediately.
    @Test("With a backoff, only a value resets the count and the delay")
    func onlyAValueResetsTheCount() {
        let backoff = Backoff(first: .seconds(1), factor: 2, jitter: 0)
        let runs = Box(0)
        let source = Timeline.Letters { [time] emitter, subscription in
            let line: Marbles = runs.increment() == 3 ? "a#" : "#"
            time.cold(line).subscribe(emitter, in: subscription)
        }
        // Fails at 0, 1, 4 (after the value of 3), 5 and 7. The third failure in a row is passed on.
        time.expect(source.retry(upTo: 2, backoff: backoff, on: scheduler), "---a---#")
        // A completion ends the signal, and a filtered value does not count.
        runs.value = 2
        time.expect(source.filter { _ in false }.retry(upTo: 1, backoff: backoff, on: scheduler), "--#")
    }

    @Test("A backoff grows to its maximum and varies by its jitter")
    func backoffGrowsToItsLimitAndLeavesAPartToChance() {
        let backoff = Backoff(first: .seconds(1), factor: 3, maximum: .seconds(20), jitter: 0.5)
        #expect((0..<5).map { backoff.delay(before: $0, random: 0) } == [1, 3, 9, 20, 20].map { .seconds($0) })
        #expect(backoff.delay(before: 1, random: 1) == .seconds(1.5))
        #expect(backoff.delay(before: .max, random: 0) == .seconds(20))
        #expect(Backoff(first: .zero).delay(before: .max, random: 0) == .zero)
        #expect(Backoff(first: .seconds(2), factor: 0, jitter: 7).delay(before: 3, random: 1) == .zero)
    }

    /// No value of any property traps, and each delay is between zero and the maximum.
    @Test("Every backoff has a valid delay")
    func everyBackoffHasAWait() {
        let waits: [Duration] = [
            .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max),
        ]
        let numbers = [-.infinity, -1, 0, 0.5, 1, 1 + .ulpOfOne, 2, 1e308, .infinity, .nan]
        var wrong: [String] = []
        for first in waits {
            for most in waits + [.seconds(Int64.max) * 4] {
                for factor in numbers {
                    for attempt in [Int.min, -1, 0, 1, 2, 63, 1024, .max] {
                        for chance in numbers {
                            let backoff = Backoff(first: first, factor: factor, maximum: most, jitter: chance)
                            let wait = backoff.delay(before: attempt, random: chance)
                            if wait < .zero || wait > max(.zero, most) { wrong.append("\(backoff) before \(attempt)") }
                        }
                    }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
        let endless = Backoff(first: .seconds(1), factor: .infinity, maximum: .seconds(9), jitter: .nan)
        #expect(endless.delay(before: 0, random: 1) == .seconds(1))
        #expect(endless.delay(before: 1, random: 1) == .seconds(9))
        #expect(Backoff(first: .seconds(1), factor: .nan, jitter: 0).delay(before: 5, random: 0) == .seconds(1))
    }

    @Test func repeats() {
        let source = time.cold("a-|")
        time.expect(source.signal.repeat(times: 3), "a-a-a-|")
        time.expect(source, ["^-!", "--^-!", "----^-!"])
        time.expect(source.signal.repeat(times: 0), "|")
        time.expect(time.cold("a#").signal.repeat(), "a#")
    }

    @Test("Many attempts use constant stack")
    func manyTriesNeedNoStack() {
        let tries = Box(0)
        let runs = Box(0)
        onSmallStack {
            Signal<Int, TestError> { emitter, _ in
                tries.value += 1
                if tries.value <= manyLevels { emitter.fail(.broken) } else { emitter.complete() }
            }.retry().subscribe(onValue: { _ in }, onTermination: neverFails())
            Signal<Int, TestError>.just(1).repeat(times: manyLevels).subscribe(
                onValue: { _ in runs.value += 1 },
                onTermination: neverFails()
            )
        }
        #expect(tries.value == manyLevels + 1)
        #expect(runs.value == manyLevels)
    }

    @Test("An endless repetition stops when a value disposes it")
    func anEndlessRepetitionStopsInsideAValue() {
        #expect(Signal<Int, Never>.just(1).repeat().take(5).record().values == [1, 1, 1, 1, 1])
        #expect(
            Signal<Int, TestError>.just(1).concat(.fail(.broken)).retry().take(5).record().values == [1, 1, 1, 1, 1]
        )
    }

    @Test func attempts() {
        let even = Signal<Int, TestError>(values: [2, 4, 5, 6]).attemptMap { value throws(TestError) in
            if value % 2 == 1 { throw .broken }
            return value / 2
        }
        #expect(even.record().events == [.value(1), .value(2), .ended(.failed(.broken))])
        let checked = Signal<Int, TestError>(values: 1...3).attempt { value throws(TestError) in
            if value == 2 { throw .other }
        }
        #expect(checked.record().events == [.value(1), .ended(.failed(.other))])
        #expect(Signal<Int, TestError>(trying: { 1 }).record().events == [.value(1), .ended(.completed)])
        let failing = Signal<Int, TestError>(trying: { () throws(TestError) in throw .broken })
        #expect(failing.record().events == [.ended(.failed(.broken))])
    }
}
