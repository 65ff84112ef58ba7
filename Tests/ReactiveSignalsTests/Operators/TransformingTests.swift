// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

@Suite struct TransformingTests {
    private let time = Timeline()
    private let numbers = Signal<Int, Never>(values: 1...5)

    @Test func mapping() {
        #expect(numbers.replaceValues(with: "x").record().values == ["x", "x", "x", "x", "x"])
        #expect(Signal<Int?, Never>(values: [1, nil, 3]).skipNil().record().values == [1, 3])
        #expect(numbers.scan(into: []) { $0.append($1) }.record().values.last == [1, 2, 3, 4, 5])
        #expect(
            numbers.scanMap(into: 0) { sum, value in
                sum += value
                return "\(value)/\(sum)"
            }.record().values == ["1/1", "2/3", "3/6", "4/10", "5/15"]
        )
        #expect(numbers.combinePrevious().map { $0 * 10 + $1 }.record().values == [12, 23, 34, 45])
        #expect(numbers.combinePrevious(0).map { $0 * 10 + $1 }.record().values == [1, 12, 23, 34, 45])
    }

    @Test func reducing() {
        #expect(numbers.reduce(0, +).record().events == [.value(15), .ended(.completed)])
        #expect(numbers.reduce(into: []) { $0.append($1) }.record().values == [[1, 2, 3, 4, 5]])
        #expect(Signal<Int, Never>.empty.reduce(7, +).record().values == [7])
        #expect(numbers.collect().record().values == [[1, 2, 3, 4, 5]])
        #expect(Signal<Int, Never>.empty.collect().record().values == [[]])
        #expect(numbers.collect(count: 2).record().values == [[1, 2], [3, 4], [5]])
        #expect(numbers.collect(count: 0).record().values == [[1], [2], [3], [4], [5]])
        #expect(numbers.collect(until: { $0.reduce(0, +) > 5 }).record().values == [[1, 2, 3], [4, 5]])
        let broken = numbers.setFailureType(to: TestError.self).concat(.fail(.broken))
        #expect(broken.collect().record().events == [.ended(.failed(.broken))])
        #expect(broken.collect(count: 4).record().events == [.value([1, 2, 3, 4]), .ended(.failed(.broken))])
        #expect(broken.take(last: 2).record().events == [.ended(.failed(.broken))])
    }

    @Test("A result waits for the resume")
    func aResultWaitsForTheResume() {
        time.expect(time.cold("ab|").signal.collect(), "-----(x|)", pausedFrom: 1, to: 5) { _ in "x" }
        let source = time.cold("ab|")
        time.expect(source.signal.take(last: 2), "-----(ab|)", pausedFrom: 2, to: 5)
        #expect(source.subscriptions.first?.end.map { $0 - source.subscriptions[0].start } == .seconds(2))
    }

    @Test func materializing() {
        let events = time.cold("ab#").signal.materialize()
        time.expect(events, "ab(x|)") { if case .value(let letter) = $0 { letter } else { "x" } }
        time.expect(events.dematerialize(), "ab#")
        let endless = Signal<Event<Int, TestError>, Never>(values: [.value(1), .ended(.failed(.broken)), .value(2)])
        #expect(endless.dematerialize().record().events == [.value(1), .ended(.failed(.broken))])
    }

    @Test func filtering() {
        #expect(Signal<Int, Never>(values: [1, 1, 2, 2, 1]).skipRepeats().record().values == [1, 2, 1])
        #expect(numbers.skipRepeats(by: { $0 / 2 == $1 / 2 }).record().values == [1, 2, 4])
        #expect(numbers.skip(2).record().values == [3, 4, 5])
        #expect(numbers.skip(0).record().values == [1, 2, 3, 4, 5])
        #expect(numbers.skip(9).record().events == [.ended(.completed)])
        #expect(Signal<Int, Never>(values: [1, 2, 3, 1]).skip(while: { $0 < 3 }).record().values == [3, 1])
        #expect(numbers.take(while: { $0 < 3 }).record().events == [.value(1), .value(2), .ended(.completed)])
        #expect(numbers.take(while: { $0 < 3 }, includingLast: true).record().values == [1, 2, 3])
        #expect(numbers.take(last: 2).record().events == [.value(4), .value(5), .ended(.completed)])
        #expect(numbers.take(last: 0).record().events == [.ended(.completed)])
        #expect(numbers.ignoreValues(String.self).record().events == [.ended(.completed)])
        #expect(numbers.ignoreValues(Never.self).setValueType(to: Int.self).record().events == [.ended(.completed)])
    }

    @Test func skipUntil() {
        let trigger = time.cold("---x---x").signal.flatMapError { _ in Signal<Character, Never>.never }
        time.expect(time.cold("a-b-c-d|").signal.skip(until: trigger), "----c-d|")
        time.expect(time.cold("a#").signal.skip(until: trigger), "-#")
        let source = time.cold("---x---x")
        time.expect(
            time.cold("a-b-c-d|").signal.skip(until: source.signal.flatMapError { _ in .never }),
            "----c-d|"
        )
        #expect(source.subscriptions.first?.end.map { $0 - source.subscriptions[0].start } == .seconds(3))
    }

    @Test func takeDuring() {
        let subject = Subject<Int, Never>()
        var lifetime: Lifetime? = Lifetime()
        let added = Box(0)
        lifetime?.add { added.value += 1 }
        let recorder = lifetime.map { subject.signal.take(during: $0) }?.record()
        subject.send(1)
        lifetime = nil
        subject.send(2)
        #expect(recorder?.events == [.value(1), .ended(.completed)])
        #expect(added.value == 1)
        let over = Lifetime()
        over.end()
        over.end()
        over.add { added.value += 1 }
        #expect(added.value == 2)
        #expect(subject.signal.take(during: over).record().events == [.ended(.completed)])
    }

    @Test func groups() {
        let subject = Subject<Int, TestError>()
        let log = Log<String>()
        subject.signal.group(by: { $0 % 2 == 0 }).subscribe(
            onValue: { group in
                let name = group.key ? "even" : "odd"
                group.signal.subscribe(
                    onValue: { log.add("\(name) \($0)") },
                    onTermination: { log.add("\(name) \($0)") }
                )
            },
            onTermination: { log.add("\($0)") }
        )
        for value in 1...3 { subject.send(value) }
        subject.complete()
        #expect(log.entries == ["odd 1", "even 2", "odd 3", "odd completed", "even completed", "completed"])
    }

    @Test func logging() {
        let log = Log<String>()
        let signal = Signal<Int, TestError>(values: 1...2).concat(.fail(.broken)).logEvents("numbers") { log.add($0) }
        signal.subscribe(onValue: { _ in }, onTermination: { _ in })
        signal.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose()
        #expect(
            log.entries.prefix(5) == [
                "numbers #1 subscribed", "numbers #1 value 1", "numbers #1 value 2", "numbers #1 failed: broken",
                "numbers #1 disposed",
            ]
        )
        #expect(log.entries.dropFirst(5).first == "numbers #2 subscribed")
        let named = Log<String>()
        Signal<Int, Never>.empty.logEvents { named.add($0) }.subscribe()
        #expect(named.entries.first?.contains("TransformingTests.swift:") == true)
    }
}
