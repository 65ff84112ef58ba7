// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Law 11: no value after a pause, the termination behind the values, and resuming without recursion.
@Suite struct FlowLaws {
    @Test("During a pause, values and the termination wait for the resume", arguments: OperatorCase.without(.conflates))
    func valuesAndTheEndWaitForTheResume(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = bench.apply(subject.signal).record(in: subscription)
        bench.settle()
        subject.send(1)
        bench.settle()
        let hold = subscription.pause()
        subject.send(2)
        subject.send(3)
        subject.complete()
        bench.settle()
        #expect(recorder.events == (operation.traits.contains(.sendsAtEnd) ? [] : [.value(1)]))
        hold.dispose()
        bench.settle()
        #expect(recorder.events == [.value(1), .value(2), .value(3), .ended(.completed)])
    }

    /// Operators that delay values let a failure pass at once (law 9).
    @Test(
        "A failure waits behind values that a pause delays",
        arguments: OperatorCase.without([.sendsAtEnd, .deliversLater])
    )
    func aFailureWaitsBehindValuesHeldBack(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = bench.apply(subject.signal).record(in: subscription)
        subject.send(1)
        let hold = subscription.pause()
        subject.send(2)
        subject.fail(.broken)
        #expect(recorder.events == [.value(1)])
        hold.dispose()
        #expect(recorder.events == [.value(1), .value(2), .ended(.failed(.broken))])
    }

    @Test(
        "No value arrives after a pause from inside a delivery",
        arguments: OperatorCase.without([.conflates, .startsLate])
    )
    func nothingComesAfterAPauseFromInside(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subscription = SignalSubscription()
        let log = Log<Int>()
        let hold = Box<(any Disposable)?>(nil)
        bench.apply(Signal(values: 1...6)).subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                if value.isMultiple(of: 2) { hold.value = subscription.pause() }
            },
            onTermination: { _ in log.add(-1) }
        )
        bench.settle()
        #expect(log.entries == [1, 2])
        hold.value?.dispose()
        bench.settle()
        #expect(log.entries == [1, 2, 3, 4])
        hold.value?.dispose()
        bench.settle()
        // A source that cannot wait has sent its termination during the pause. No value is left before it.
        #expect(log.entries.prefix(6) == [1, 2, 3, 4, 5, 6])
        hold.value?.dispose()
        bench.settle()
        #expect(log.entries == [1, 2, 3, 4, 5, 6, -1])
    }

    @Test("A subscription can be paused before it begins", arguments: OperatorCase.without(.startsLate))
    func aSubscriptionCanBePausedBeforeItBegins(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subscription = SignalSubscription()
        let hold = subscription.pause()
        let recorder = bench.apply(.just(1)).record(in: subscription)
        bench.settle()
        #expect(recorder.events.isEmpty)
        hold.dispose()
        bench.settle()
        #expect(recorder.events == [.value(1), .ended(.completed)])
    }

    @Test("A subscription resumes when its last pause token is disposed", arguments: OperatorCase.without(.sendsAtEnd))
    func itRunsWhenNoHoldIsLeft(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = bench.apply(subject.signal).record(in: subscription)
        bench.settle()
        let (first, second) = (subscription.pause(), subscription.pause())
        subject.send(1)
        first.dispose()
        first.dispose()
        bench.settle()
        #expect(recorder.values.isEmpty)
        second.dispose()
        bench.settle()
        subject.send(2)
        bench.settle()
        #expect(recorder.values == [1, 2])
    }

    @Test(
        "Pausing and resuming inside each value uses constant stack",
        arguments: OperatorCase.without([.conflates, .startsLate])
    )
    func pausingAndResumingInsideEachValueNeedsNoStack(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let count = Box(0)
        // Few values suffice with an operator, because each is slow without optimization.
        let length = operation.name == "none" ? manyLevels : Platform.rounds(3000)
        onSmallStack {
            let subscription = SignalSubscription()
            bench.apply(Signal(values: 1...length)).subscribe(
                in: subscription,
                onValue: { value in
                    count.value = value
                    subscription.pause().dispose()
                },
                onTermination: neverFails()
            )
            bench.settle()
        }
        #expect(count.value == length)
    }

    @Test("Pauses from other threads lose nothing", arguments: OperatorCase.without([.conflates, .drops]))
    func pausesFromOtherThreadsLoseNothing(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = bench.apply(subject.signal).record(in: subscription)
        bench.settle()
        let count = Platform.rounds(1000)
        onThreads(3) { thread in
            for number in 0..<count {
                if thread == 0 { subject.send(number) } else { subscription.pause().dispose() }
            }
        }
        bench.settle()
        subject.complete()
        bench.settle()
        #expect((operation.keepsOrder ? recorder.values : recorder.values.sorted()) == Array(0..<count))
        #expect(recorder.end == .completed)
    }

    @Test("Paused values are delivered after their source is released", arguments: OperatorCase.all)
    func whatIsHeldOutlivesItsSource(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subscription = SignalSubscription()
        let recorder = Recorder<Int, TestError>()
        var hold: (any Disposable)?
        do {
            let subject = Subject<Int, TestError>()
            bench.apply(subject.signal).subscribe(recorder, in: subscription)
            bench.settle()
            hold = subscription.pause()
            subject.send(1)
            subject.complete()
        }
        bench.settle()
        hold?.dispose()
        bench.settle()
        #expect(recorder.events == [.value(1), .ended(.completed)])
    }

    @Test("A termination without values before it does not wait for a resume")
    func anEndWithNothingBeforeItDoesNotWait() {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = subject.signal.record(in: subscription)
        let hold = subscription.pause()
        subject.complete()
        #expect(recorder.end == .completed)
        hold.dispose()
    }

    @Test("A paused observer does not delay the others")
    func onePausedObserverHoldsNobodyElseUp() {
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

    @Test(
        "The policy decides which values a pause keeps",
        arguments: [
            (BufferPolicy.unbounded, [1, 2, 3, 4]),
            (.dropOldest(2), [3, 4]),
            (.dropNewest(2), [1, 2]),
            (.dropOldest(0), []),
            (.dropNewest(0), []),
            (.dropOldest(-1), []),
        ]
    )
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

    @Test("A flow listener is notified of the latest state once")
    func flowListenersHearTheLastStateOnce() {
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

    @Test("Changes from inside a listener are reported one after the other")
    func changesFromInsideAListenerAreToldOneAfterTheOther() {
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
