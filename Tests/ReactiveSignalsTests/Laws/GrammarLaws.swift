import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Laws 1 and 6: `value* end?`, and nothing kept after it.
@Suite struct GrammarLaws {
    @Test(arguments: OperatorCase.all)
    func nothingFollowsCompletion(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let recorder = bench.apply(subject.signal).record()
        bench.settle()
        for value in 1...2 {
            subject.send(value)
            bench.settle()
        }
        subject.complete()
        subject.send(3)
        subject.fail(.broken)
        subject.complete()
        bench.settle()
        #expect(recorder.events == [.value(1), .value(2), .ended(.completed)])
    }

    @Test(arguments: OperatorCase.all)
    func nothingFollowsFailure(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let recorder = bench.apply(subject.signal).record()
        bench.settle()
        subject.send(1)
        bench.settle()
        subject.fail(.broken)
        subject.send(2)
        subject.complete()
        bench.settle()
        let values: [Event<Int, TestError>] = operation.traits.contains(.sendsAtEnd) ? [] : [.value(1)]
        #expect(recorder.events == values + [.ended(.failed(.broken))])
    }

    @Test(arguments: OperatorCase.all)
    func nothingFollowsDisposalFromInsideAValue(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let log = Log<Int>()
        bench.apply(subject.signal).subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                if value == 2 { subscription.dispose() }
            },
            onTermination: { _ in log.add(-1) }
        )
        bench.settle()
        for value in 1...4 {
            subject.send(value)
            bench.settle()
        }
        subject.complete()
        bench.settle()
        #expect(log.entries == [1, 2])
    }

    @Test(arguments: OperatorCase.without([.absorbs, .startsLate]))
    func aSynchronousSourceStopsInsideItsFirstValue(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subscription = SignalSubscription()
        let log = Log<Int>()
        // An endless sequence: only stopping it lets the test end.
        let numbers = Signal<Int, TestError>(values: Naturals())
        bench.apply(numbers).subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                subscription.dispose()
            }
        )
        bench.settle()
        #expect(log.entries == [0])
    }

    @Test(arguments: OperatorCase.all)
    func nothingFollowsDisposalInUpstreamCallback(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = Recorder<Int, TestError>()
        let source = subject.signal.handleEvents(onValue: { if $0 == 2 { subscription.dispose() } })
        bench.apply(source).subscribe(recorder, in: subscription)
        bench.settle()
        for value in 1...2 {
            subject.send(value)
            bench.settle()
        }
        subject.complete()
        bench.settle()
        #expect(recorder.events == (operation.traits.contains(.sendsAtEnd) ? [] : [.value(1)]))
    }

    @Test(arguments: OperatorCase.all)
    func aDisposedSubscriptionStartsNothing(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let starts = Box(0)
        let subscription = SignalSubscription()
        subscription.dispose()
        let source = Signal<Int, TestError>.just(1).handleEvents(onSubscribe: { starts.value += 1 })
        let recorder = bench.apply(source).record(in: subscription)
        bench.settle()
        #expect(recorder.events.isEmpty)
        #expect(starts.value == 0)
    }

    @Test(arguments: OperatorCase.all)
    func theSourceIsReleasedBeforeTheEndIsTold(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let log = Log<String>()
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let source = subject.signal.handleEvents(onDispose: { log.add("released") })
        bench.apply(source).subscribe(
            in: subscription,
            onTermination: { _ in log.add(subscription.isDisposed ? "ended" : "ended early") }
        )
        bench.settle()
        subject.complete()
        bench.settle()
        #expect(log.entries == ["released", "ended"])
    }

    @Test(arguments: OperatorCase.all)
    func closuresAreReleasedAfterTheEnd(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            bench.apply(subject.signal).subscribe { _ in strong.touch() }
        }
        bench.settle()
        subject.send(1)
        bench.settle()
        #expect(witness != nil)
        subject.complete()
        bench.settle()
        #expect(witness == nil)
    }

    @Test(arguments: OperatorCase.all)
    func closuresAreReleasedAfterDisposal(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subscription = bench.apply(subject.signal).subscribe { _ in strong.touch() }
            bench.settle()
            subject.send(1)
            subscription.dispose()
        }
        // Work that a scheduler has been given cannot be taken back; it does nothing, and goes.
        if operation.name == "observe(on:limit:whenFull:) virtual" { bench.settle() }
        #expect(witness == nil)
        subject.send(2)
    }

    @Test(arguments: OperatorCase.without([.keepsTimer, .keepsSource]))
    func closuresAreReleasedWithASourceThatNeverEnds(_ operation: OperatorCase) {
        let bench = Bench(operation)
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subject = Subject<Int, TestError>()
            bench.apply(subject.signal).subscribe { _ in strong.touch() }
            bench.settle()
            subject.send(1)
        }
        bench.settle()
        #expect(witness == nil)
    }

    @Test(arguments: OperatorCase.all)
    func closuresAreReleasedWhenDisposedWhilePaused(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subscription = bench.apply(subject.signal).subscribe { _ in strong.touch() }
            bench.settle()
            _ = subscription.pause()
            subject.send(1)
            subject.send(2)
            subscription.dispose()
        }
        #expect(witness == nil)
    }
}
