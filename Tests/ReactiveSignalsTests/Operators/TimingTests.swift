// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

@Suite struct TimingTests {
    private let time = Timeline()
    private var scheduler: TestScheduler { time.scheduler }

    @Test func delay() {
        time.expect(time.cold("ab--c|").signal.delay(.seconds(3), on: scheduler), "---ab--c|")
        time.expect(time.cold("ab--c#").signal.delay(.seconds(3), on: scheduler), "---ab#")
        time.expect(time.cold("|").signal.delay(.seconds(3), on: scheduler), "---|")
        let source = time.cold("a-|")
        time.expect(source.signal.delay(.seconds(10), on: scheduler), "----------a-|")
        #expect(source.subscriptions.map { $0.end.map { $0 - source.subscriptions[0].start } } == [.seconds(2)])
    }

    @Test("delay pauses the source at its limit")
    func delayHoldsTheSourceBackAtItsLimit() throws {
        let sent = Box(0)
        let recorder = scheduler.record(
            Signal<Int, Never>(values: 0..<100).handleEvents(onValue: { _ in sent.value += 1 })
                .delay(.seconds(1), on: scheduler, limit: 10)
        )
        #expect(sent.value == 10)
        try scheduler.run()
        #expect(recorder.values == Array(0..<100))
        #expect(recorder.termination == .completed)
    }

    @Test func delayDuringAPause() {
        time.expect(time.cold("abc|").signal.delay(.seconds(2), on: scheduler), "--a-----(bc|)", pausedFrom: 3, to: 8)
    }

    @Test func debounce() {
        time.expect(time.cold("ab--c---d|").signal.debounce(.seconds(2), on: scheduler), "---b--c--(d|)")
        time.expect(
            time.cold("ab--c---d|").signal.debounce(.seconds(2), on: scheduler, discardWhenCompleted: true),
            "---b--c--|"
        )
        time.expect(time.cold("ab-#").signal.debounce(.seconds(3), on: scheduler), "---#")
    }

    @Test func throttle() {
        time.expect(time.cold("abcde---f|").signal.throttle(.seconds(3), on: scheduler), "a--d--e--(f|)")
        time.expect(time.cold("abc|").signal.throttle(.seconds(3), on: scheduler), "a--(c|)")
        time.expect(time.cold("ab|").signal.throttle(.seconds(3), on: scheduler), "a--(b|)")
        time.expect(
            time.cold("ab|").signal.throttle(.seconds(3), on: scheduler, discardWhenCompleted: true),
            "a-|"
        )
        time.expect(time.cold("ab#").signal.throttle(.seconds(3), on: scheduler), "a-#")
    }

    @Test("throttle(latest: false) sends only the first value of each interval")
    func throttleFirst() {
        time.expect(time.cold("abcde---f|").signal.throttle(.seconds(3), on: scheduler, latest: false), "a--d----f|")
        // The next interval begins with the next value.
        time.expect(time.cold("a---b-cd|").signal.throttle(.seconds(3), on: scheduler, latest: false), "a---b--d|")
        time.expect(time.cold("ab|").signal.throttle(.seconds(3), on: scheduler, latest: false), "a-|")
        time.expect(time.cold("ab#").signal.throttle(.seconds(3), on: scheduler, latest: false), "a-#")
        time.expect(time.cold("abc|").signal.throttle(.zero, on: scheduler, latest: false), "abc|")
        #expect(scheduler.isIdle)
    }

    @Test func rateLimit() {
        time.expect(time.cold("(abcde)-|").signal.rateLimit(2, per: .seconds(3), on: scheduler), "(ab)--(cd)--(e|)")
        time.expect(time.cold("a-b---c|").signal.rateLimit(1, per: .seconds(2), on: scheduler), "a-b---c|")
        time.expect(time.cold("(abc)#").signal.rateLimit(1, per: .seconds(2), on: scheduler), "a#")
    }

    @Test("rateLimit pauses the source")
    func rateLimitHoldsTheSourceBack() throws {
        let sent = Box(0)
        let recorder = scheduler.record(
            Signal<Int, Never>(values: 0..<50).handleEvents(onValue: { _ in sent.value += 1 })
                .rateLimit(1, per: .seconds(1), on: scheduler, limit: 4)
        )
        #expect(sent.value <= 5)
        try scheduler.advance(by: .seconds(10))
        #expect(recorder.values == Array(0...10))
        #expect(sent.value <= 15)
        try scheduler.run()
        #expect(recorder.values == Array(0..<50))
        #expect(recorder.termination == .completed)
    }

    @Test func timeoutAfter() {
        let source = time.cold("a-b-c-d-|")
        time.expect(source.signal.timeout(after: .seconds(5), raising: .other, on: scheduler), "a-b-c#")
        time.expect(source, ["^----!"])
        time.expect(time.cold("a-|").signal.timeout(after: .seconds(5), raising: .other, on: scheduler), "a-|")
        #expect(scheduler.isIdle)
    }

    @Test func timeoutIdle() {
        time.expect(
            time.cold("a-b-c---d|").signal.timeout(idle: .seconds(3), raising: .other, on: scheduler),
            "a-b-c--#"
        )
        time.expect(
            time.cold("a-b-c--d|").signal.timeout(idle: .seconds(4), raising: .other, on: scheduler),
            "a-b-c--d|"
        )
        time.expect(time.cold("-----a").signal.timeout(idle: .seconds(3), raising: .other, on: scheduler), "---#")
    }

    @Test("A pause does not count as silence")
    func aPauseIsNoSilence() {
        time.expect(
            time.cold("a-b-c|").signal.timeout(idle: .seconds(3), raising: .other, on: scheduler),
            "a--------(bc|)",
            pausedFrom: 1,
            to: 9
        )
        time.expect(
            time.cold("a-").signal.timeout(idle: .seconds(3), raising: .other, on: scheduler),
            "a----------#",
            pausedFrom: 1,
            to: 9
        )
    }

    @Test func collectEvery() {
        let source = time.cold("-ab---c--de|").signal
        let log = Log<[Character]>()
        let letters: ([Character]) -> Character = {
            log.add($0)
            return $0.last ?? "?"
        }
        time.expect(source.collect(every: .seconds(3), on: scheduler), "----b----d-(e|)", letters)
        #expect(log.entries == [["a", "b"], ["c", "d"], ["e"]])
        time.expect(source.collect(every: .seconds(3), count: 2, on: scheduler), "--b------d-(e|)", letters)
        time.expect(time.cold("ab#").signal.collect(every: .seconds(3), on: scheduler), "--#", letters)
    }

    @Test func interval() {
        let ticks = Signal<Int, Never>.interval(.seconds(2), on: scheduler).take(4)
        time.expect(ticks, "--0-1-2-(3|)") { Character("\($0)") }
        let paused = Signal<Int, Never>.interval(.seconds(2), on: scheduler).take(3)
        time.expect(paused, "--0-------4-(5|)", pausedFrom: 3, to: 9) { Character("\($0)") }
        let values = Signal<Character, Never>.interval(values: ["a", "b", "c"], every: .seconds(2), on: scheduler)
        time.expect(values, "--a-b-(c|)")
        time.expect(values, "--a-------b-(c|)", pausedFrom: 3, to: 9)
        let none = Signal<Character, Never>.interval(values: [], every: .seconds(2), on: scheduler)
        time.expect(none, "--|")
        #expect(scheduler.isIdle)
    }

    @Test("interval can begin immediately or later")
    func intervalStartingAfter() {
        let digit: (Int) -> Character = { Character("\($0)") }
        let start: (Duration?) -> Signal<Int, Never> = { [scheduler] first in
            Signal.interval(.seconds(2), startingAfter: first, on: scheduler).take(3)
        }
        time.expect(start(.zero), "0-1-(2|)", digit)
        time.expect(start(.seconds(-1)), "0-1-(2|)", digit)
        time.expect(start(.seconds(3)), "---0-1-(2|)", digit)
        time.expect(start(nil), "--0-1-(2|)", digit)
        time.expect(start(.zero), "----2-3-(4|)", pausedFrom: 0, to: 3, digit)
        #expect(scheduler.isIdle)
    }

    @Test func timer() {
        let timer = Signal<Void, Never>.timer(after: .seconds(3), on: scheduler)
        time.expect(timer, "---(x|)") { _ in "x" }
        time.expect(timer, "-----(x|)", pausedFrom: 1, to: 5) { _ in "x" }
        scheduler.record(timer).subscription.dispose()
        #expect(scheduler.isIdle)
    }

    @Test("Disposing the subscription cancels its timers")
    func timersGoWithTheSubscription() {
        let never = Signal<Int, TestError>.never
        for signal in [
            never.timeout(after: .seconds(9), raising: .other, on: scheduler),
            never.timeout(idle: .seconds(9), raising: .other, on: scheduler),
            Signal.just(1).concat(.never).delay(.seconds(9), on: scheduler),
            Signal.just(1).concat(.never).debounce(.seconds(9), on: scheduler),
            Signal(values: 1...2).concat(.never).throttle(.seconds(9), on: scheduler),
            Signal(values: 1...2).concat(.never).rateLimit(1, per: .seconds(9), on: scheduler),
            Signal.just(1).concat(.never).collect(every: .seconds(9), on: scheduler).map(\.count),
            Signal.just(1).concat(.never).window(every: .seconds(9), on: scheduler).flatMap { $0 },
            Signal.interval(.seconds(9), on: scheduler),
            Signal.fail(.broken).retry(after: .seconds(9), on: scheduler),
        ] {
            let recorder = scheduler.record(signal)
            #expect(!scheduler.isIdle)
            recorder.subscription.dispose()
            #expect(scheduler.isIdle)
        }
    }
}
