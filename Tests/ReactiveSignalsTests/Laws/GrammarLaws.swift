// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Laws 1 and 6: `value* termination?`, and nothing retained afterwards.
@Suite struct GrammarLaws {
    @Test("Nothing follows a completion", arguments: OperatorCase.all)
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

    @Test("Nothing follows a failure", arguments: OperatorCase.all)
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

    @Test("Nothing follows a disposal from inside a value", arguments: OperatorCase.all)
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

    @Test(
        "A synchronous source stops when its first value disposes the subscription",
        arguments: OperatorCase.without([.absorbs, .startsLate])
    )
    func aSynchronousSourceStopsInsideItsFirstValue(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subscription = SignalSubscription()
        let log = Log<Int>()
        // The sequence is endless, so the test ends only if the source stops.
        let numbers = Signal<Int, TestError>(values: Naturals())
        bench.apply(numbers).subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                subscription.dispose()
            },
            onTermination: neverFails()
        )
        bench.settle()
        #expect(log.entries == [0])
    }

    @Test("Nothing follows a disposal from an upstream callback", arguments: OperatorCase.all)
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

    @Test("A disposed subscription does not start its source", arguments: OperatorCase.all)
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

    @Test("The source is released before the observer receives the termination", arguments: OperatorCase.all)
    func theSourceIsReleasedBeforeTheEndIsTold(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let log = Log<String>()
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let source = subject.signal.handleEvents(onDispose: { log.add("released") })
        bench.apply(source).subscribe(
            in: subscription,
            onValue: { _ in },
            onTermination: { _ in log.add(subscription.isDisposed ? "ended" : "ended early") }
        )
        bench.settle()
        subject.complete()
        bench.settle()
        #expect(log.entries == ["released", "ended"])
    }

    @Test("Closures are released after the termination", arguments: OperatorCase.all)
    func closuresAreReleasedAfterTheEnd(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            bench.apply(subject.signal).subscribe(onValue: { _ in strong.touch() }, onTermination: neverFails())
        }
        bench.settle()
        subject.send(1)
        bench.settle()
        #expect(witness != nil)
        subject.complete()
        bench.settle()
        #expect(witness == nil)
    }

    @Test("Closures are released after a disposal", arguments: OperatorCase.all)
    func closuresAreReleasedAfterDisposal(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subscription = bench.apply(subject.signal).subscribe(
                onValue: { _ in strong.touch() },
                onTermination: neverFails()
            )
            bench.settle()
            subject.send(1)
            subscription.dispose()
        }
        // Work submitted to a scheduler cannot be withdrawn. It does nothing and is released when it runs.
        if operation.name == "observe(on:limit:whenFull:) virtual" { bench.settle() }
        #expect(witness == nil)
        subject.send(2)
    }

    @Test(
        "Closures are released with a source that never ends",
        arguments: OperatorCase.without([.keepsTimer, .keepsSource])
    )
    func closuresAreReleasedWithASourceThatNeverEnds(_ operation: OperatorCase) {
        let bench = Bench(operation)
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subject = Subject<Int, TestError>()
            bench.apply(subject.signal).subscribe(onValue: { _ in strong.touch() }, onTermination: neverFails())
            bench.settle()
            subject.send(1)
        }
        bench.settle()
        #expect(witness == nil)
    }

    @Test("Closures are released when a paused subscription is disposed", arguments: OperatorCase.all)
    func closuresAreReleasedWhenDisposedWhilePaused(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subscription = bench.apply(subject.signal).subscribe(
                onValue: { _ in strong.touch() },
                onTermination: neverFails()
            )
            bench.settle()
            _ = subscription.pause()
            subject.send(1)
            subject.send(2)
            subscription.dispose()
        }
        #expect(witness == nil)
    }
}
