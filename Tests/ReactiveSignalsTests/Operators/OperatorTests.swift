// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@Suite struct OperatorTests {
    @Test func stateless() {
        let numbers = Signal<Int, Never>(values: 1...6)
        #expect(numbers.map { $0 * 2 }.record().values == [2, 4, 6, 8, 10, 12])
        #expect(numbers.filter { $0 > 4 }.record().values == [5, 6])
        #expect(numbers.compactMap { $0 > 4 ? "\($0)" : nil }.record().values == ["5", "6"])
        #expect(numbers.scan(0, +).record().values == [1, 3, 6, 10, 15, 21])
        #expect(numbers.setFailureType(to: TestError.self).record().end == .completed)
        #expect(Signal<Int, TestError>.fail(.broken).mapError { _ in TestError.other }.record().end == .failed(.other))
    }

    @Test func sources() {
        #expect(Signal<Int, TestError>.just(1).record().events == [.value(1), .ended(.completed)])
        #expect(Signal<Int, TestError>.empty.record().events == [.ended(.completed)])
        #expect(Signal<Int, TestError>.never.record().events.isEmpty)
        #expect(Signal<Int, TestError>.fail(.broken).record().events == [.ended(.failed(.broken))])
        #expect(Signal<Int, TestError>(result: .success(1)).record().events == [.value(1), .ended(.completed)])
        #expect(Signal<Int, TestError>(result: .failure(.broken)).record().events == [.ended(.failed(.broken))])
        #expect(Signal<Int, TestError>(values: []).record().events == [.ended(.completed)])
    }

    @Test("scan starts over for each subscription")
    func scanStartsAnewForEachSubscription() {
        let sums = Signal<Int, Never>(values: 1...3).scan(0, +)
        #expect(sums.record().values == [1, 3, 6])
        #expect(sums.record().values == [1, 3, 6])
    }

    @Test("take completes with its last value")
    func takeCompletesWithItsLastValue() {
        let starts = Box(0)
        let source = Signal<Int, Never>(values: Naturals()).handleEvents(onSubscribe: { starts.value += 1 })
        #expect(source.take(3).record().events == [.value(0), .value(1), .value(2), .ended(.completed)])
        #expect(starts.value == 1)
        #expect(source.take(0).record().events == [.ended(.completed)])
        #expect(source.take(-1).record().events == [.ended(.completed)])
        #expect(starts.value == 1)
        #expect(Signal<Int, Never>.just(7).take(3).record().events == [.value(7), .ended(.completed)])
    }

    @Test("take is exact although its last value sends more")
    func takeIsExactWhenItsLastValueSendsMore() {
        let subject = Subject<Int, Never>()
        let recorder = subject.signal.handleEvents(onValue: { if $0 < 9 { subject.send($0 + 1) } }).take(2).record()
        subject.send(1)
        #expect(recorder.events == [.value(1), .value(2), .ended(.completed)])
    }

    @Test("take(until:) completes with the trigger's value or completion")
    func takeUntilEndsWithTheTriggersValueOrCompletion() {
        let subject = Subject<Int, Never>()
        let (first, second) = (Subject<Void, Never>(), Subject<Void, Never>())
        let byValue = subject.signal.take(until: first.signal).record()
        let byEnd = subject.signal.take(until: second.signal).record()
        subject.send(1)
        first.send(())
        second.complete()
        subject.send(2)
        #expect(byValue.events == [.value(1), .ended(.completed)])
        #expect(byEnd.events == byValue.events)
    }

    @Test("take(until:) does not subscribe if the trigger sends immediately")
    func takeUntilDoesNotSubscribeAfterATriggerThatIsThere() {
        let starts = Box(0)
        let source = Signal<Int, Never>.just(1).handleEvents(onSubscribe: { starts.value += 1 })
        #expect(source.take(until: Signal<Int, Never>.just(1)).record().events == [.ended(.completed)])
        #expect(starts.value == 0)
    }

    @Test("merge completes with its last input or fails with the first failure")
    func mergeEndsWithTheLastOrTheFirstFailure() {
        let subjects = (0..<3).map { _ in Subject<Int, TestError>() }
        let recorder = Signal.merge(subjects.map(\.signal)).record()
        for (index, subject) in subjects.enumerated() { subject.send(index) }
        subjects[0].complete()
        subjects[1].complete()
        #expect(recorder.end == nil)
        subjects[2].complete()
        #expect(recorder.events == [.value(0), .value(1), .value(2), .ended(.completed)])

        let released = Box(0)
        let silent = Signal<Int, TestError>.never.handleEvents(onDispose: { released.value += 1 })
        #expect(Signal.merge(silent, .fail(.broken), silent).record().events == [.ended(.failed(.broken))])
        #expect(released.value == 1)
        #expect(Signal<Int, TestError>.merge([]).record().events == [.ended(.completed)])
    }

    /// Law 6: this holds although the failure itself waits behind values.
    @Test("A failure releases the other inputs immediately, even during a pause")
    func aFailureReleasesTheOtherInputsWhilePaused() {
        let (first, second) = (Subject<Int, TestError>(), Subject<Int, TestError>())
        let released = Box(false)
        let subscription = SignalSubscription()
        let recorder = first.signal.merge(with: second.signal.handleEvents(onDispose: { released.value = true }))
            .observe(on: ManualScheduler()).record(in: subscription)
        first.send(1)
        first.fail(.broken)
        #expect(released.value)
        #expect(recorder.events.isEmpty)
    }

    @Test("flatMap merges the values of its inner signals")
    func flatMapMergesWhatItsSignalsSend() {
        let outer = Subject<Int, TestError>()
        let inners = (0..<3).map { _ in Subject<String, TestError>() }
        let recorder = outer.signal.flatMap { inners[$0].signal }.record()
        outer.send(0)
        outer.send(1)
        inners[1].send("b")
        inners[0].send("a")
        outer.complete()
        inners[0].complete()
        #expect(recorder.end == nil)
        inners[1].send("c")
        inners[1].complete()
        #expect(recorder.values == ["b", "a", "c"])
        #expect(recorder.end == .completed)
    }

    @Test(
        "flatMap forwards known results without a subscription",
        arguments: [FlattenStrategy.merge, .concat, .concurrent(limit: 2)]
    )
    func flatMapTakesWhatIsKnownOfASignal(_ strategy: FlattenStrategy) {
        let subscription = SignalSubscription()
        let subject = Subject<Int, TestError>()
        let recorder = subject.signal.flatMap(strategy) { value -> Signal<Int, TestError> in
            switch value {
            case 0: .empty
            case ..<0: .fail(.broken)
            default: .just(value)
            }
        }.record(in: subscription)
        subject.send(0)
        subject.send(1)
        let pause = subscription.pause()
        subject.send(2)
        subject.send(0)
        #expect(recorder.values == [1])
        pause.dispose()
        #expect(recorder.values == [1, 2])
        subject.send(3)
        subject.send(-1)
        subject.send(4)
        #expect(recorder.values == [1, 2, 3])
        #expect(recorder.end == .failed(.broken))
    }

    @Test("concat runs one inner signal at a time and pauses the source")
    func flatMapConcatRunsOneAfterTheOtherAndHoldsTheSourceBack() {
        let inners = (0..<3).map { _ in Subject<Int, Never>() }
        let made = Log<Int>()
        let recorder = Signal<Int, Never>(values: 0..<3).handleEvents(onValue: { made.add($0) })
            .flatMap(.concat) { inners[$0].signal }.record()
        #expect(made.entries == [0])
        inners[0].send(1)
        inners[1].send(99)
        inners[0].complete()
        #expect(made.entries == [0, 1])
        inners[1].send(2)
        inners[1].complete()
        inners[2].send(3)
        inners[2].complete()
        #expect(recorder.events == [.value(1), .value(2), .value(3), .ended(.completed)])
    }

    @Test("flatMap queues the values of a source that cannot wait")
    func flatMapKeepsWhatASourceThatCannotWaitSends() {
        let subject = Subject<Int, Never>()
        let inners = (0..<4).map { _ in Subject<Int, Never>() }
        let running = Box(0)
        let recorder = subject.signal.flatMap(.concurrent(limit: 2)) { index in
            inners[index].signal.handleEvents(
                onSubscribe: { running.value += 1 },
                onDispose: { running.value -= 1 }
            )
        }.record()
        for index in 0..<4 { subject.send(index) }
        subject.complete()
        for index in 0..<4 {
            #expect(running.value == min(2, 4 - index))
            inners[index].send(index)
            inners[index].complete()
        }
        #expect(recorder.events == [.value(0), .value(1), .value(2), .value(3), .ended(.completed)])
    }

    @Test("A failure in flatMap releases the source and all inner signals")
    func aFailureInFlatMapReleasesEverything() {
        let released = Log<String>()
        let outer = Subject<Int, TestError>()
        let failing = Subject<Int, TestError>()
        let recorder = outer.signal.handleEvents(onDispose: { released.add("outer") }).flatMap { value in
            value == 0
                ? Signal<Int, TestError>.never.handleEvents(onDispose: { released.add("inner") })
                : failing.signal
        }.record()
        outer.send(0)
        outer.send(1)
        failing.fail(.broken)
        #expect(recorder.events == [.ended(.failed(.broken))])
        #expect(released.entries.sorted() == ["inner", "outer"])
    }

    @Test("handleEvents reports the subscription, all events and the disposal")
    func handleEventsSeesTheWholeLife() {
        let log = Log<String>()
        let subject = Subject<Int, TestError>()
        let signal = subject.signal.handleEvents(
            onSubscribe: { log.add("subscribe") },
            onValue: { log.add("value \($0)") },
            onTermination: { log.add("\($0)") },
            onDispose: { log.add("dispose") }
        )
        signal.subscribe(onValue: { _ in }, onTermination: neverFails())
        subject.send(1)
        subject.complete()
        #expect(log.entries == ["subscribe", "value 1", "completed", "dispose"])
        Signal<Int, Never>.never.handleEvents(onDispose: { log.add("disposed") }).subscribe().dispose()
        #expect(log.entries.last == "disposed")
    }

    @Test("share connects with the first observer and disposes with the last")
    func shareConnectsWithTheFirstAndDisposesWithTheLast() {
        let log = Log<String>()
        let subject = Subject<Int, TestError>()
        let shared = subject.signal
            .handleEvents(onSubscribe: { log.add("start") }, onDispose: { log.add("stop") }).share()
        #expect(log.entries.isEmpty)
        let (first, second) = (SignalSubscription(), SignalSubscription())
        let one = shared.record(in: first)
        let two = shared.record(in: second)
        subject.send(1)
        first.dispose()
        subject.send(2)
        #expect(log.entries == ["start"])
        second.dispose()
        #expect(log.entries == ["start", "stop"])
        #expect(one.values == [1])
        #expect(two.values == [1, 2])
        let three = shared.record()
        subject.complete()
        #expect(three.events == [.ended(.completed)])
        #expect(log.entries == ["start", "stop", "start", "stop"])
    }

    @Test("share starts over after a termination")
    func shareStartsAnewAfterTheEnd() {
        let starts = Box(0)
        let shared = Signal<Int, Never>(values: 1...2).handleEvents(onSubscribe: { starts.value += 1 }).share()
        #expect(shared.record().events == [.value(1), .value(2), .ended(.completed)])
        #expect(shared.record().events == [.value(1), .value(2), .ended(.completed)])
        #expect(starts.value == 2)
    }

    @Test("share follows its slowest observer")
    func shareFollowsItsSlowestObserver() {
        let sent = Box(0)
        let (slow, fast) = (SignalSubscription(), SignalSubscription())
        let manual = ManualScheduler()
        let source = Signal<Int, Never>(values: 0..<100).handleEvents(onValue: { _ in sent.value += 1 })
        let shared = source.subscribe(on: manual).share()
        let one = shared.record(in: slow)
        let two = shared.record(in: fast)
        let hold = slow.pause()
        manual.run()
        #expect(sent.value == 0)
        hold.dispose()
        #expect(one.values == Array(0..<100))
        #expect(two.values == one.values)
    }

    @Test("Disposing a paused observer resumes the others")
    func aPausedObserverThatLeavesLetsTheOthersGoOn() {
        let (slow, fast) = (SignalSubscription(), SignalSubscription())
        let manual = ManualScheduler()
        let shared = Signal<Int, Never>(values: 0..<5).subscribe(on: manual).share()
        _ = shared.record(in: slow)
        let two = shared.record(in: fast)
        let hold = slow.pause()
        manual.run()
        #expect(two.values.isEmpty)
        slow.dispose()
        #expect(two.values == Array(0..<5))
        hold.dispose()
    }
}
