import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Testing

/// Laws 1 and 6: `value* end?`, and nothing kept after it.
@Suite struct GrammarLaws {
    @Test(arguments: OperatorCase.all)
    func nothingFollowsCompletion(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        let recorder = operation.apply(subject.signal).record()
        subject.send(1)
        subject.send(2)
        subject.complete()
        subject.send(3)
        subject.fail(.broken)
        subject.complete()
        #expect(recorder.events == [.value(1), .value(2), .ended(.completed)])
    }

    @Test(arguments: OperatorCase.all)
    func nothingFollowsFailure(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        let recorder = operation.apply(subject.signal).record()
        subject.send(1)
        subject.fail(.broken)
        subject.send(2)
        subject.complete()
        #expect(recorder.events == [.value(1), .ended(.failed(.broken))])
    }

    @Test(arguments: OperatorCase.all)
    func nothingFollowsDisposalFromInsideAValue(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let log = Log<Int>()
        operation.apply(subject.signal).subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                if value == 2 { subscription.dispose() }
            },
            onTermination: { _ in log.add(-1) }
        )
        for value in 1...4 { subject.send(value) }
        subject.complete()
        #expect(log.entries == [1, 2])
    }

    @Test(arguments: OperatorCase.all)
    func aSynchronousSourceStopsInsideItsFirstValue(_ operation: OperatorCase) {
        let subscription = SignalSubscription()
        let log = Log<Int>()
        // An endless sequence: only stopping it lets the test end.
        let numbers = Signal<Int, TestError>(values: Naturals())
        operation.apply(numbers).subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                subscription.dispose()
            }
        )
        #expect(log.entries == [0])
    }

    @Test(arguments: OperatorCase.all)
    func nothingFollowsDisposalInUpstreamCallback(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = Recorder<Int, TestError>()
        let source = subject.signal.handleEvents(onValue: { if $0 == 2 { subscription.dispose() } })
        operation.apply(source).subscribe(recorder, in: subscription)
        subject.send(1)
        subject.send(2)
        subject.complete()
        #expect(recorder.events == [.value(1)])
    }

    @Test(arguments: OperatorCase.all)
    func aDisposedSubscriptionStartsNothing(_ operation: OperatorCase) {
        let starts = Box(0)
        let subscription = SignalSubscription()
        subscription.dispose()
        let source = Signal<Int, TestError>.just(1).handleEvents(onSubscribe: { starts.value += 1 })
        let recorder = operation.apply(source).record(in: subscription)
        #expect(recorder.events.isEmpty)
        #expect(starts.value == 0)
    }

    @Test(arguments: OperatorCase.all)
    func theSourceIsReleasedBeforeTheEndIsTold(_ operation: OperatorCase) {
        let log = Log<String>()
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let source = subject.signal.handleEvents(onDispose: { log.add("released") })
        operation.apply(source).subscribe(
            in: subscription,
            onTermination: { _ in log.add(subscription.isDisposed ? "ended" : "ended early") }
        )
        subject.complete()
        #expect(log.entries == ["released", "ended"])
    }

    @Test(arguments: OperatorCase.all)
    func closuresAreReleasedAfterTheEnd(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            operation.apply(subject.signal).subscribe { _ in strong.touch() }
        }
        subject.send(1)
        #expect(witness != nil)
        subject.complete()
        #expect(witness == nil)
    }

    @Test(arguments: OperatorCase.all)
    func closuresAreReleasedAfterDisposal(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subscription = operation.apply(subject.signal).subscribe { _ in strong.touch() }
            subject.send(1)
            subscription.dispose()
        }
        #expect(witness == nil)
        subject.send(2)
    }

    @Test(arguments: OperatorCase.all)
    func closuresAreReleasedWithASourceThatNeverEnds(_ operation: OperatorCase) {
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subject = Subject<Int, TestError>()
            operation.apply(subject.signal).subscribe { _ in strong.touch() }
            subject.send(1)
        }
        #expect(witness == nil)
    }

    @Test(arguments: OperatorCase.all)
    func closuresAreReleasedWhenDisposedWhilePaused(_ operation: OperatorCase) {
        let subject = Subject<Int, TestError>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subscription = operation.apply(subject.signal).subscribe { _ in strong.touch() }
            _ = subscription.pause()
            subject.send(1)
            subject.send(2)
            subscription.dispose()
        }
        #expect(witness == nil)
    }
}
