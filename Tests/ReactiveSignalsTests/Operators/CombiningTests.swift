// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

@Suite struct CombiningTests {
    private let time = Timeline()

    private func pair(_ first: Character, _ second: Character) -> String { "\(first)\(second)" }

    @Test func combineLatest() {
        let log = Log<String>()
        let (first, second) = (time.cold("a-b---|"), time.cold("-1-2|"))
        time.expect(Signal.combineLatest(first.signal, second.signal), "-xxx--|") { values in
            log.add(pair(values.0, values.1))
            return "x"
        }
        #expect(log.entries == ["a1", "b1", "b2"])
        time.expect(first, ["^-----!"])
        time.expect(second, ["^---!"])
    }

    @Test("combineLatest completes when no further combination is possible")
    func combineLatestCompletesWhereNothingCanCome() {
        let (first, second) = (time.cold("a-b---"), time.cold("--|"))
        time.expect(Signal.combineLatest(first.signal, second.signal), "--|") { _ in "x" }
        time.expect(first, ["^-!"])
        time.expect(Signal.combineLatest(time.cold("a--").signal, time.cold("-#").signal), "-#") { _ in "x" }
        #expect(Signal.combineLatest([Signal<Int, Never>]()).record().events == [.ended(.completed)])
    }

    @Test func combineLatestOfManyTypes() {
        let signal = Signal.combineLatestAll(
            Signal<Int, Never>.just(1),
            Signal<String, Never>.just("a"),
            Signal<Bool, Never>.just(true),
            Signal<Double, Never>.just(0.5),
            Signal<Character, Never>(values: "xy")
        )
        #expect(signal.map { "\($0)\($1)\($2)\($3)\($4)" }.record().values == ["1atrue0.5x", "1atrue0.5y"])
    }

    @Test func combineLatestOfAThousand() {
        let sums = Log<Int>()
        onSmallStack {
            let subjects = (0..<1000).map { _ in Subject<Int, Never>() }
            Signal.combineLatest(subjects.map(\.signal)).subscribe { sums.add($0.reduce(0, +)) }
            for subject in subjects { subject.send(1) }
            subjects[500].send(2)
        }
        #expect(sums.entries == [1000, 1001])
    }

    /// The last combination contains the last value of each signal, whichever threads send them.
    @Test func combineLatestEndsWithTheLatest() {
        for _ in 0..<20 {
            let subjects = (0..<4).map { _ in Subject<Int, Never>() }
            let recorder = Signal.combineLatest(subjects.map(\.signal)).record()
            onThreads(4) { thread in for value in 0...100 { subjects[thread].send(value) } }
            #expect(recorder.values.last == [100, 100, 100, 100])
        }
    }

    @Test func zip() {
        let log = Log<String>()
        let (first, second) = (time.cold("abc----d"), time.cold("--1--2-|"))
        time.expect(Signal.zip(first.signal, second.signal), "--x--x-|") { values in
            log.add(pair(values.0, values.1))
            return "x"
        }
        #expect(log.entries == ["a1", "b2"])
        time.expect(first, ["^------!"])
    }

    @Test("zip completes with the last possible pair")
    func zipCompletesWithTheValueThatWasTheLast() {
        let (first, second) = (time.cold("a|"), time.cold("---1-2-3"))
        time.expect(Signal.zip(first.signal, second.signal), "---(x|)") { _ in "x" }
        time.expect(second, ["^--!"])
        time.expect(first, ["^!"])
        time.expect(Signal.zip(time.cold("-#").signal, time.cold("a---").signal), "-#") { _ in "x" }
        #expect(Signal.zip([Signal<Int, Never>]()).record().events == [.ended(.completed)])
    }

    @Test("zip pauses the signal that is ahead")
    func zipHoldsTheOneThatIsAheadBack() {
        let sent = Box(0)
        let ahead = Signal<Int, Never>(values: Naturals()).handleEvents(onValue: { _ in sent.value += 1 })
        let subject = Subject<Int, Never>()
        let recorder = ahead.zip(with: subject.signal).map { $1 }.record()
        #expect(sent.value == 16)
        for value in 0..<1000 { subject.send(value) }
        #expect(recorder.values == Array(0..<1000))
        #expect(sent.value <= 1016)
        subject.complete()
        #expect(recorder.end == .completed)
    }

    @Test func withLatest() {
        let log = Log<String>()
        let other = time.cold("-1--2|").signal.flatMapError { _ in Signal<Character, Never>.never }
        time.expect(time.cold("a-b--cd-|").signal.withLatest(from: other), "--x--xx-|") { values in
            log.add(pair(values.0, values.1))
            return "x"
        }
        #expect(log.entries == ["b1", "c2", "d2"])
        let source = time.cold("a-b---|")
        time.expect(source.signal.withLatest(from: Signal<Int, Never>.empty), "|") { _ in "x" }
    }

    @Test func sample() {
        let ticks = time.cold("--x-x-x-|").signal.flatMapError { _ in Signal<Character, Never>.never }
        time.expect(time.cold("ab----c--d").signal.sample(on: ticks), "--b-b-c-|")
        time.expect(time.cold("ab|").signal.sample(on: ticks), "--b-b-b-|")
        time.expect(time.cold("-|").signal.sample(on: ticks), "-|")
        time.expect(time.cold("ab-#").signal.sample(on: ticks), "--b#")
        time.expect(time.cold("a----c--d").signal.sample(with: ticks), "--a-a-c-|") { $0.0 }
    }

    @Test func race() {
        let (first, second, third) = (time.cold("--a-b|"), time.cold("-c---d|"), time.cold("----x"))
        time.expect(Signal.race(first.signal, second.signal, third.signal), "-c---d|")
        time.expect(first, ["^!"])
        time.expect(third, ["^!"])
        time.expect(second, ["^-----!"])
        time.expect(Signal.race(time.cold("-#").signal, time.cold("--a").signal), "-#")
        let starts = Box(0)
        let late = Signal<Int, Never>.never.handleEvents(onSubscribe: { starts.value += 1 })
        #expect(Signal.race(.just(1), late).record().events == [.value(1), .ended(.completed)])
        #expect(starts.value == 0)
    }

    @Test func takeUntilReplacement() {
        let source = time.cold("ab-c-d")
        time.expect(source.signal.take(untilReplacement: time.cold("---x-y|").signal), "ab-x-y|")
        #expect(source.subscriptions.first?.end == .seconds(3))
        time.expect(time.cold("a-|").signal.take(untilReplacement: time.cold("---x|").signal), "a--x|")
        time.expect(time.cold("a-#").signal.take(untilReplacement: time.cold("---x|").signal), "a-#")
    }

    @Test func booleans() {
        let (first, second) = (Subject<Bool, Never>(), Subject<Bool, Never>())
        let both = first.signal.and(second.signal).record()
        let either = first.signal.or(second.signal).record()
        let not = first.signal.negate().record()
        first.send(true)
        second.send(false)
        second.send(true)
        first.send(false)
        #expect(both.values == [false, true, false])
        #expect(either.values == [true, true, true])
        #expect(not.values == [false, true])
    }

    @Test func concat() {
        let (first, second) = (time.cold("a-b|"), time.cold("-c|"))
        time.expect(first.signal.concat(second.signal), "a-b-c|")
        time.expect(first, ["^--!"])
        time.expect(second, ["---^-!"])
        time.expect(time.cold("a#").signal.concat(time.cold("b|").signal), "a#")
        time.expect(time.cold("--a|").signal.prefix(value: "z").concat(value: "y"), "z-a(y|)")
        time.expect(time.cold("--a|").signal.prefix(time.cold("-b|").signal), "-b--a|")
        #expect(Signal<Int, Never>.concat([]).record().events == [.ended(.completed)])
    }

    @Test func concatOfMany() {
        let count = Platform.rounds(100_000)
        let recorder = Recorder<Int, Never>()
        onSmallStack {
            Signal.concat((0..<count).lazy.map { Signal<Int, Never>.just($0) })
                .subscribe(recorder, in: SignalSubscription())
        }
        #expect(recorder.values == Array(0..<count))
        #expect(recorder.end == .completed)
    }

    @Test func then() {
        time.expect(time.cold("a-b-|").signal.then(time.cold("-1|").signal), "-----1|")
        time.expect(time.cold("a-#").signal.then(time.cold("-1|").signal), "--#")
    }
}
