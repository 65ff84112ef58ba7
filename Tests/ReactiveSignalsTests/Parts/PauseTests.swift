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
}
