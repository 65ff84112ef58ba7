// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// Operators that take a second signal: with one that fails, and with one of another failure type.
@Suite struct FailureTypeTests {
    private let time = Timeline()
    private let sure = Signal<Int, Never>(values: 1...2)
    private let unsure = Signal<Int, TestError>(values: 3...4)

    @Test(
        "flatMap accepts inner signals that cannot fail",
        arguments: [FlattenStrategy.merge, .concat, .latest, .first]
    )
    func innerSignalsThatCannotFail(_ strategy: FlattenStrategy) {
        let numbers: Signal<Int, TestError> = unsure.concat(.fail(.broken))
        let result = numbers.flatMap(strategy) { value in Signal<Int, Never>(values: [value, value * 10]) }.record()
        #expect(result.events == [.value(3), .value(30), .value(4), .value(40), .ended(.failed(.broken))])
        let single = numbers.flatMap(strategy) { Signal<Int, Never>.just($0) }.record()
        #expect(single.events == [.value(3), .value(4), .ended(.failed(.broken))])
        let empty = numbers.flatMap(strategy) { _ in Signal<Int, Never>.empty }.record()
        #expect(empty.events == [.ended(.failed(.broken))])
        #expect(unsure.map { _ in Signal<Int, Never>.just(5) }.flatten(strategy).record().values == [5, 5])
    }

    @Test(
        "After setFailureType, a signal that cannot fail accepts inner signals that can",
        arguments: [FlattenStrategy.merge, .concat]
    )
    func innerSignalsThatCanFail(_ strategy: FlattenStrategy) {
        let result = sure.setFailureType(to: TestError.self).flatMap(strategy) { value in
            if value == 1 { return self.unsure }
            return .fail(.broken)
        }.record()
        #expect(result.events == [.value(3), .value(4), .ended(.failed(.broken))])
        let failures = sure.map { _ in Signal<Int, TestError>.fail(.other) }
        #expect(failures.flatten(strategy).record().end == .failed(.other))
    }

    @Test("A race accepts inner signals of another failure type")
    func races() {
        let first = unsure.flatMap(.race) { Signal<Int, Never>.just($0) }.record()
        #expect(first.events == [.value(3), .ended(.completed)])
        let failures = sure.map { _ in Signal<Int, TestError>.fail(.other) }
        #expect(failures.flatten(.race).record().end == .failed(.other))
    }

    @Test("Both orders of a signal that can fail and one that cannot combine")
    func bothOrders() {
        let failing: Signal<Int, TestError> = unsure.concat(.fail(.broken))
        let values = { (signal: Signal<Int, TestError>) in signal.record().values }
        #expect(values(sure.merge(with: failing)) == [1, 2, 3, 4])
        #expect(values(failing.merge(with: sure)) == [3, 4])
        #expect(values(.merge(sure, failing)) == [1, 2, 3, 4])
        #expect(values(.merge(unsure, sure)) == [3, 4, 1, 2])
        #expect(values(sure.concat(failing)) == [1, 2, 3, 4])
        #expect(values(unsure.concat(sure)) == [3, 4, 1, 2])
        #expect(values(sure.prefix(unsure)) == [3, 4, 1, 2])
        #expect(values(unsure.prefix(sure)) == [1, 2, 3, 4])
        #expect(values(sure.then(unsure)) == [3, 4])
        #expect(values(unsure.then(sure)) == [1, 2])
        #expect(values(sure.take(untilReplacement: unsure)) == [3, 4])
        #expect(values(unsure.take(untilReplacement: sure)) == [1, 2])
        #expect(values(sure.combineLatest(with: unsure).map { $0 + $1 }) == [5, 6])
        #expect(values(unsure.combineLatest(with: sure).map { $0 + $1 }) == [5, 6])
        #expect(values(sure.zip(with: unsure).map { $0 + $1 }) == [4, 6])
        #expect(values(unsure.zip(with: sure).map { $0 + $1 }) == [4, 6])
        #expect(values(sure.withLatest(from: unsure).map { $0 + $1 }) == [5, 6])
        #expect(values(unsure.withLatest(from: sure).map { $0 + $1 }) == [5, 6])
        #expect(values(sure.sample(on: unsure)) == [2, 2])
        #expect(values(unsure.sample(on: sure)) == [4, 4])
        #expect(values(sure.sample(with: unsure).map { $0 + $1 }) == [5, 6])
        #expect(values(unsure.sample(with: sure).map { $0 + $1 }) == [5, 6])
        let (yes, maybe) = (Signal<Bool, Never>.just(true), Signal<Bool, TestError>.just(false))
        #expect(yes.and(maybe).record().events == [.value(false), .ended(.completed)])
        #expect(maybe.and(yes).record().events == [.value(false), .ended(.completed)])
        #expect(yes.or(maybe).record().events == [.value(true), .ended(.completed)])
        #expect(maybe.or(yes).record().events == [.value(true), .ended(.completed)])
        #expect(values(sure.window(boundary: Signal<Int, TestError>.never).flatMap { $0 }) == [1, 2])
        #expect(values(unsure.window(boundary: Signal<Int, Never>.never).flatMap { $0 }) == [3, 4])
    }

    @Test("A failure of the second signal fails the result")
    func aTriggerThatFails() {
        let trigger = time.cold("--#")
        time.expect(time.cold("a-b-c|").signal.take(until: trigger.signal), "a-#")
        time.expect(time.cold("a-b-c|").signal.skip(until: trigger.signal), "--#")
        time.expect(time.cold("a-b-c|").signal.sample(on: trigger.signal), "--#")
        time.expect(time.cold("a-b-c|").signal.withLatest(from: trigger.signal).map { $0.0 }, "--#")
        let letters = Signal<Character, Never>(values: "ab").concat(.never)
        time.expect(letters.take(until: trigger.signal), "(ab)-#")
        time.expect(letters.skip(until: trigger.signal), "--#")
        let numbers = time.cold("a-b-c|").signal
        time.expect(numbers.take(until: Signal<Int, Never>.never), "a-b-c|")
        time.expect(numbers.skip(until: Signal<Int, Never>.empty), "a-b-c|")
    }

    @Test("A trigger that has sent is released, and its later failure is ignored")
    func aTriggerThatHasSent() {
        let trigger = time.cold("-x-#")
        time.expect(time.cold("a-b-c|").signal.skip(until: trigger.signal), "--b-c|")
        time.expect(trigger, ["^!"])
        // A source that ignores the disposal.
        let rude = Signal<Int, TestError> { emitter, _ in
            emitter.send(1)
            emitter.fail(.broken)
        }
        #expect(unsure.skip(until: rude).record().events == [.value(3), .value(4), .ended(.completed)])
        #expect(unsure.take(until: rude).record().events == [.ended(.completed)])
    }

    @Test("A failed trigger releases the source first, even during a pause", arguments: [false, true])
    func aFailedTriggerReleasesTheSource(_ skips: Bool) {
        let (source, trigger) = (Subject<Int, TestError>(), Subject<Int, TestError>())
        let isReleased = Box(false)
        let log = Log<Bool>()
        let watched = source.signal.handleEvents(onDispose: { isReleased.value = true })
        let subscription = SignalSubscription()
        let limited = skips ? watched.skip(until: trigger.signal) : watched.take(until: trigger.signal)
        limited.subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in log.add(isReleased.value) })
        let pause = subscription.pause()
        trigger.fail(.broken)
        #expect(isReleased.value)
        pause.dispose()
        #expect(log.entries == [true])
    }

    @Test("A replacement without a stated failure type cannot fail")
    func replacements() {
        let failing: Signal<Int, TestError> = unsure.concat(.fail(.broken))
        let safe = failing.flatMapError { _ in .just(0) }
        let events: [Event<Int, Never>] = safe.record().events
        #expect(events == [.value(3), .value(4), .value(0), .ended(.completed)])
        let other: Signal<Int, TestError> = failing.flatMapError { _ in .fail(.other) }
        #expect(other.record().end == .failed(.other))
    }

    @Test("setFailureType keeps values and completion")
    func setFailureType() {
        #expect(sure.setFailureType(to: TestError.self).record().events == [.value(1), .value(2), .ended(.completed)])
        let single = Signal<Int, Never>.just(1).setFailureType(to: TestError.self)
        #expect(single.record().events == [.value(1), .ended(.completed)])
        #expect(Signal<Int, Never>.empty.setFailureType(to: TestError.self).record().events == [.ended(.completed)])
    }
}
