import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Testing

/// What operators do with ends and values during a pause: laws 6, 9 and 11 where they meet.
@Suite struct PauseTests {
    @Test func theTriggerOfTakeUntilIsHeardDuringAPause() {
        let (subject, trigger) = (Subject<Int, Never>(), Subject<Void, Never>())
        let released = Log<String>()
        let subscription = SignalSubscription()
        let recorder = subject.signal.handleEvents(onDispose: { released.add("source") })
            .take(until: trigger.signal.handleEvents(onDispose: { released.add("trigger") }))
            .record(in: subscription)
        subject.send(1)
        let hold = subscription.pause()
        // The subject keeps it, and is let go of with it.
        subject.send(2)
        trigger.send(())
        #expect(released.entries.sorted() == ["source", "trigger"])
        #expect(recorder.events == [.value(1), .ended(.completed)])
        hold.dispose()
        #expect(recorder.events == [.value(1), .ended(.completed)])
    }

    @Test func theTriggerOfTakeUntilGoesWithTheSubscription() {
        let trigger = Subject<Void, Never>()
        let released = Box(false)
        Signal<Int, Never>.never.take(until: trigger.signal.handleEvents(onDispose: { released.value = true }))
            .subscribe().dispose()
        #expect(released.value)
    }

    @Test func aFailureComesAfterWhatMergeHasAndReleasesWhatTheOthersHold() {
        let (first, second) = (Subject<Int, TestError>(), Subject<Int, TestError>())
        let events = Log<Event<Int, TestError>>()
        let subscription = SignalSubscription()
        let hold = Box<(any Disposable)?>(nil)
        first.signal.merge(with: second.signal).subscribe(
            in: subscription,
            onValue: { value in
                events.add(.value(value))
                guard value == 1 else { return }
                second.send(2)
                hold.value = subscription.pause()
            },
            onTermination: { events.add(.ended($0)) }
        )
        first.send(1)
        first.send(3)
        second.fail(.broken)
        #expect(events.entries == [.value(1)])
        hold.value?.dispose()
        // 2 was with `merge` before the failure; 3 was with its source.
        #expect(events.entries == [.value(1), .value(2), .ended(.failed(.broken))])
    }

    @Test func aFailureComesAfterWhatFlatMapHasAndReleasesWhatTheOthersHold() {
        let inners = [Subject<Int, TestError>(), Subject<Int, TestError>()]
        let events = Log<Event<Int, TestError>>()
        let subscription = SignalSubscription()
        let hold = Box<(any Disposable)?>(nil)
        Signal<Int, TestError>(values: 0..<2).flatMap { inners[$0].signal }.subscribe(
            in: subscription,
            onValue: { value in
                events.add(.value(value))
                guard value == 1 else { return }
                inners[1].send(2)
                hold.value = subscription.pause()
            },
            onTermination: { events.add(.ended($0)) }
        )
        inners[0].send(1)
        inners[0].send(3)
        inners[1].fail(.broken)
        #expect(events.entries == [.value(1)])
        hold.value?.dispose()
        #expect(events.entries == [.value(1), .value(2), .ended(.failed(.broken))])
    }
}
