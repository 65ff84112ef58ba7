import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Testing

/// Law 11: no value after a pause, the end behind the values, resuming without recursion.
@Suite struct FlowLaws {
    @Test(arguments: OperatorCase.all)
    func valuesAndTheEndWaitForTheResume(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = operation.apply(subject.signal).record(in: subscription)
        subject.send(1)
        let hold = subscription.pause()
        subject.send(2)
        subject.send(3)
        subject.fail(.broken)
        #expect(recorder.events == [.value(1)])
        hold.dispose()
        #expect(recorder.events == [.value(1), .value(2), .value(3), .ended(.failed(.broken))])
    }

    @Test(arguments: OperatorCase.all)
    func nothingComesAfterAPauseFromInside(_ operation: OperatorCase) {
        let subscription = SignalSubscription()
        let log = Log<Int>()
        let hold = Box<(any Disposable)?>(nil)
        operation.apply(Signal(values: 1...6)).subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                if value.isMultiple(of: 2) { hold.value = subscription.pause() }
            },
            onTermination: { _ in log.add(-1) }
        )
        #expect(log.entries == [1, 2])
        hold.value?.dispose()
        #expect(log.entries == [1, 2, 3, 4])
        hold.value?.dispose()
        // A source that cannot wait has sent its end meanwhile, and no value is left for it to wait behind.
        #expect(log.entries.prefix(6) == [1, 2, 3, 4, 5, 6])
        hold.value?.dispose()
        #expect(log.entries == [1, 2, 3, 4, 5, 6, -1])
    }

    @Test(arguments: OperatorCase.all)
    func aSubscriptionCanBePausedBeforeItBegins(_ operation: OperatorCase) {
        let subscription = SignalSubscription()
        let hold = subscription.pause()
        let recorder = operation.apply(.just(1)).record(in: subscription)
        #expect(recorder.events.isEmpty)
        hold.dispose()
        #expect(recorder.events == [.value(1), .ended(.completed)])
    }

    @Test(arguments: OperatorCase.all)
    func itRunsWhenNoHoldIsLeft(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = operation.apply(subject.signal).record(in: subscription)
        let (first, second) = (subscription.pause(), subscription.pause())
        subject.send(1)
        first.dispose()
        first.dispose()
        #expect(recorder.values.isEmpty)
        second.dispose()
        subject.send(2)
        #expect(recorder.values == [1, 2])
    }

    @Test(arguments: OperatorCase.all)
    func pausingAndResumingInsideEachValueNeedsNoStack(_ operation: OperatorCase) {
        let count = Box(0)
        onSmallStack {
            let subscription = SignalSubscription()
            operation.apply(Signal(values: 1...10_000)).subscribe(
                in: subscription,
                onValue: { value in
                    count.value = value
                    subscription.pause().dispose()
                }
            )
        }
        #expect(count.value == 10_000)
    }

    @Test(arguments: OperatorCase.all)
    func pausesFromOtherThreadsLoseNothing(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = operation.apply(subject.signal).record(in: subscription)
        onThreads(3) { thread in
            for number in 0..<1000 {
                if thread == 0 { subject.send(number) } else { subscription.pause().dispose() }
            }
        }
        subject.complete()
        #expect((operation.keepsOrder ? recorder.values : recorder.values.sorted()) == Array(0..<1000))
        #expect(recorder.end == .completed)
    }

    @Test(arguments: OperatorCase.all)
    func whatIsHeldOutlivesItsSource(_ operation: OperatorCase) {
        let subscription = SignalSubscription()
        let recorder = Recorder<Int, TestError>()
        var hold: (any Disposable)?
        do {
            let subject = Subject<Int, TestError>()
            operation.apply(subject.signal).subscribe(recorder, in: subscription)
            hold = subscription.pause()
            subject.send(1)
            subject.complete()
        }
        hold?.dispose()
        #expect(recorder.events == [.value(1), .ended(.completed)])
    }

    @Test func anEndWithNothingBeforeItDoesNotWait() {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = subject.signal.record(in: subscription)
        let hold = subscription.pause()
        subject.complete()
        #expect(recorder.end == .completed)
        hold.dispose()
    }

    @Test func onePausedObserverHoldsNobodyElseUp() {
        let subject = Subject<Int, Never>()
        let subscription = SignalSubscription()
        let paused = subject.signal.record(in: subscription)
        let other = subject.signal.record()
        let hold = subscription.pause()
        subject.send(1)
        subject.send(2)
        #expect(paused.values.isEmpty)
        #expect(other.values == [1, 2])
        hold.dispose()
        #expect(paused.values == [1, 2])
    }

    @Test(arguments: [
        (BufferPolicy.unbounded, [1, 2, 3, 4]),
        (.dropOldest(2), [3, 4]),
        (.dropNewest(2), [1, 2]),
        (.dropOldest(0), []),
        (.dropNewest(0), []),
        (.dropOldest(-1), []),
    ])
    func thePolicySaysWhatIsKept(_ policy: BufferPolicy, _ kept: [Int]) {
        let subject = Subject<Int, TestError>(whilePaused: policy)
        let emitter = Box<Emitter<Int, TestError>?>(nil)
        let emitting = Signal<Int, TestError>(whilePaused: policy) { new, _ in emitter.value = new }
        let (first, second) = (SignalSubscription(), SignalSubscription())
        let recorders = [subject.signal.record(in: first), emitting.record(in: second)]
        let holds = [first.pause(), second.pause()]
        for value in 1...4 {
            subject.send(value)
            emitter.value?.send(value)
        }
        subject.complete()
        emitter.value?.complete()
        for hold in holds { hold.dispose() }
        for recorder in recorders { #expect(recorder.events == kept.map { .value($0) } + [.ended(.completed)]) }
    }

    @Test func flowListenersHearTheLastStateOnce() {
        let subscription = SignalSubscription()
        let log = Log<Bool>()
        let first = subscription.pause()
        subscription.onFlowChange { log.add($0) }
        let second = subscription.pause()
        first.dispose()
        #expect(log.entries == [true])
        second.dispose()
        second.dispose()
        #expect(log.entries == [true, false])
        subscription.dispose()
        _ = subscription.pause()
        #expect(log.entries == [true, false])
    }

    @Test func changesFromInsideAListenerAreToldOneAfterTheOther() {
        let subscription = SignalSubscription()
        let log = Log<String>()
        let hold = Box<(any Disposable)?>(nil)
        subscription.onFlowChange { isPaused in
            log.add("begin \(isPaused)")
            if isPaused { hold.value?.dispose() }
            log.add("end \(isPaused)")
        }
        hold.value = subscription.pause()
        hold.value?.dispose()
        #expect(log.entries == ["begin true", "end true", "begin false", "end false"])
    }
}
