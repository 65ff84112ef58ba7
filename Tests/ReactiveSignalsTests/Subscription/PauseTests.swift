// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// How operators handle terminations and values during a pause: the combination of laws 6, 9 and 11.
@Suite struct PauseTests {
    @Test("take(until:) reacts to its trigger during a pause")
    func theTriggerOfTakeUntilIsHeardDuringAPause() {
        let (subject, trigger) = (Subject<Int, Never>(), Subject<Void, Never>())
        let released = Log<String>()
        let subscription = SignalSubscription()
        let recorder = subject.signal.handleEvents(onDispose: { released.add("source") })
            .take(until: trigger.signal.handleEvents(onDispose: { released.add("trigger") }))
            .record(in: subscription)
        subject.send(1)
        let hold = subscription.pause()
        // The subject stores the value, and releases it with the subscription.
        subject.send(2)
        trigger.send(())
        #expect(released.entries.sorted() == ["source", "trigger"])
        #expect(recorder.events == [.value(1), .ended(.completed)])
        hold.dispose()
        #expect(recorder.events == [.value(1), .ended(.completed)])
    }

    @Test("take(until:) disposes its trigger with the subscription")
    func theTriggerOfTakeUntilGoesWithTheSubscription() {
        let trigger = Subject<Void, Never>()
        let released = Box(false)
        Signal<Int, Never>.never.take(until: trigger.signal.handleEvents(onDispose: { released.value = true }))
            .subscribe().dispose()
        #expect(released.value)
    }

    @Test("In merge a failure follows received values, and values of other inputs are released")
    func aFailureComesAfterWhatMergeHasAndReleasesWhatTheOthersHold() {
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
        // `merge` received 2 before the failure. The source still stored 3.
        #expect(events.entries == [.value(1), .value(2), .ended(.failed(.broken))])
    }

    @Test("In flatMap a failure follows received values, and values of other inputs are released")
    func aFailureComesAfterWhatFlatMapHasAndReleasesWhatTheOthersHold() {
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

    @Test(
        "The pause policy does not apply to values that wait for a delivery",
        arguments: [BufferPolicy.dropNewest(0), .dropOldest(0), .dropNewest(1), .dropOldest(1)]
    )
    func thePolicyIsNotForWhatWaitsForADelivery(_ policy: BufferPolicy) {
        let emitter = Box<Emitter<Int, Never>?>(nil)
        let subject = Subject<Int, Never>(whilePaused: policy)
        let emitting = Signal<Int, Never>(whilePaused: policy) { new, _ in emitter.value = new }
        let (emitted, sent) = (Log<Int>(), Log<Int>())
        emitting.subscribe { value in
            emitted.add(value)
            if value == 1 { for next in 2...4 { emitter.value?.send(next) } }
        }
        subject.signal.subscribe { value in
            sent.add(value)
            if value == 1 { for next in 2...4 { subject.send(next) } }
        }
        emitter.value?.send(1)
        subject.send(1)
        #expect(emitted.entries == [1, 2, 3, 4])
        #expect(sent.entries == [1, 2, 3, 4])
    }

    @Test(
        "The pause policy applies to values sent during a delivery once they wait for a resume",
        arguments: [
            (BufferPolicy.unbounded, [1, 2, 3, 4]),
            (.dropOldest(2), [1, 3, 4]),
            (.dropNewest(2), [1, 2, 3]),
            (.dropOldest(0), [1]),
            (.dropNewest(0), [1]),
        ]
    )
    func thePolicyIsForWhatWaitsForAResumeInTheEnd(_ policy: BufferPolicy, _ kept: [Int]) {
        let emitter = Box<Emitter<Int, TestError>?>(nil)
        let subject = Subject<Int, TestError>(whilePaused: policy)
        let emitting = Signal<Int, TestError>(whilePaused: policy) { new, _ in emitter.value = new }
        for isSubject in [false, true] {
            let subscription = SignalSubscription()
            let (hold, log) = (Box<(any Disposable)?>(nil), Log<Event<Int, TestError>>())
            (isSubject ? subject.signal : emitting).subscribe(
                in: subscription,
                onValue: { value in
                    log.add(.value(value))
                    guard value == 1 else { return }
                    for next in 2...4 { if isSubject { subject.send(next) } else { emitter.value?.send(next) } }
                    if isSubject { subject.complete() } else { emitter.value?.complete() }
                    hold.value = subscription.pause()
                },
                onTermination: { log.add(.ended($0)) }
            )
            if isSubject { subject.send(1) } else { emitter.value?.send(1) }
            let isOver = kept.count == 1
            #expect(log.entries == [.value(1)] + (isOver ? [.ended(.completed)] : []))
            hold.value?.dispose()
            #expect(log.entries == kept.map { .value($0) } + [.ended(.completed)])
        }
    }
}
