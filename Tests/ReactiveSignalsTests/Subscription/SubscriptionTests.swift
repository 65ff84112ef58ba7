// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Law 11 for the subscription itself: each listener is notified of a resume, and depth uses constant stack (law 8).
@Suite struct SubscriptionTests {
    @Test("A pause that ends while listeners are notified is reported afterwards", arguments: [false, true])
    func aPauseGivenBackWhileListenersAreToldIsToldAfterwards(_ isBehindATeardown: Bool) {
        let subscription = SignalSubscription()
        if isBehindATeardown { subscription.onDispose {} }
        let log = Log<Bool>()
        subscription.onFlowChange { isPaused in
            log.add(isPaused)
            if log.count == 2 { subscription.pause().dispose() }
        }
        subscription.pause().dispose()
        #expect(log.entries == [true, false, true, false])
    }

    @Test("A source resumes after a pause that another listener ends")
    func aSourceGoesOnAfterAPauseThatAnotherListenerEnds() {
        let subscription = SignalSubscription()
        let log = Log<Int>()
        let hold = Box<(any Disposable)?>(nil)
        Signal<Int, Never>(values: 1...5).subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                if value <= 2 { hold.value = subscription.pause() }
            }
        )
        let first = hold.update { $0.take() }
        subscription.onFlowChange { isPaused in if !isPaused { hold.update { $0.take() }?.dispose() } }
        first?.dispose()
        #expect(log.entries == [1, 2, 3, 4, 5])
        #expect(subscription.isDisposed)
    }

    /// Typical back-pressure: each value takes a pause token, and its consumer disposes the token when it has
    /// finished.
    @Test(
        "A pause token for each value, disposed by other threads, loses nothing",
        arguments: OperatorCase.without([.deliversLater, .startsLate, .drops])
    )
    func aHoldForEachValueGivenBackByOthersLosesNothing(_ operation: OperatorCase) {
        let subscription = SignalSubscription()
        let values = Log<Int>()
        let holds = Box<[any Disposable]>([])
        let limit = ContinuousClock.now + .seconds(Latch.limit)
        onThreads(3) { thread in
            if thread == 0 {
                Bench(operation).apply(Signal(values: 0..<500)).subscribe(
                    in: subscription,
                    onValue: { value in
                        values.add(value)
                        let hold = subscription.pause()
                        holds.update { $0.append(hold) }
                    },
                    onTermination: neverFails()
                )
            } else {
                while !subscription.isDisposed, ContinuousClock.now < limit { holds.update { $0.popLast() }?.dispose() }
            }
        }
        #expect((operation.keepsOrder ? values.entries : values.entries.sorted()) == Array(0..<500))
        #expect(subscription.isDisposed)
    }

    @Test("A hop continues however often it is paused")
    func aHopGoesOnHoweverOftenItIsPaused() {
        let subscription = SignalSubscription()
        let values = Log<Int>()
        let limit = ContinuousClock.now + .seconds(Latch.limit)
        Signal<Int, Never>(values: 0..<5000).observe(on: QueueScheduler(), limit: 8)
            .subscribe(in: subscription, onValue: { values.add($0) })
        onThreads(2) { _ in
            for _ in 0..<20_000 where !subscription.isDisposed && ContinuousClock.now < limit {
                subscription.pause().dispose()
            }
        }
        while !subscription.isDisposed, ContinuousClock.now < limit {}
        #expect(values.entries == Array(0..<5000))
    }

    @Test("concat continues although its signals complete on other threads")
    func concatGoesOnWhereItsSignalsEndOnOtherThreads() throws {
        let schedulers = [QueueScheduler(), QueueScheduler()]
        let done = Latch()
        let values = Log<Int>()
        Signal<Int, Never>(values: 0..<5000)
            .flatMap(.concat) { value in .just(value).observe(on: schedulers[value % 2]) }
            .subscribe(onValue: { values.add($0) }, onTermination: { _ in done.arrive() })
        try done.wait("the termination")
        #expect(values.entries == Array(0..<5000))
    }

    @Test("A shared source resumes when a paused observer is disposed elsewhere")
    func aSharedSourceGoesOnWhereAPausedObserverIsDisposedElsewhere() {
        for _ in 0..<200 {
            let slow = SignalSubscription()
            let values = Box(0)
            let manual = ManualScheduler()
            let shared = Signal<Int, Never>(values: 0..<100).subscribe(on: manual).share()
            shared.subscribe(in: slow)
            let fast = shared.subscribe { _ in values.update { $0 += 1 } }
            onThreads(3) { thread in
                switch thread {
                case 0: manual.run()
                case 1: for _ in 0..<20 { _ = slow.pause() }
                default: slow.dispose()
                }
            }
            #expect(fast.isDisposed)
            #expect(values.value == 100)
        }
    }

    @Test("A property's observer receives the last value however often it is paused")
    func aPropertysObserverSeesTheLastValueHoweverOftenItIsPaused() {
        let property = Property(0)
        let subscription = SignalSubscription()
        let last = Box(0)
        property.signal.subscribe(in: subscription, onValue: { last.value = $0 })
        for round in 1...100 {
            onThreads(3) { thread in
                for _ in 0..<50 { if thread == 0 { property.value = round } else { subscription.pause().dispose() } }
            }
            #expect(last.value == round)
        }
    }

    @Test("Deeply nested subscriptions use constant stack")
    func depthCostsNoStack() {
        let log = Log<Bool>()
        onSmallStack {
            let root = SignalSubscription()
            var last = root
            for _ in 0..<100_000 { last = last.makeChild() }
            last.onFlowChange { log.add($0) }
            let hold = root.pause()
            log.add(last.isPaused)
            hold.dispose()
            log.add(last.isPaused)
            root.dispose()
            log.add(last.isDisposed)
        }
        #expect(log.entries == [true, true, false, false, true])
    }

    @Test("Many children that a teardown of the parent disposes use constant stack")
    func aTeardownThatDisposesTheChildren() {
        let isTornDown = Box(false)
        onSmallStack {
            let parent = SignalSubscription()
            let children = (0..<100_000).map { _ in parent.makeChild() }
            parent.onDispose { for child in children { child.dispose() } }
            parent.dispose()
            isTornDown.value = parent.isTornDown && children.allSatisfy { $0.isTornDown }
        }
        #expect(isTornDown.value)
    }

    @Test("A subscription that teardowns of its children dispose is torn down when these have returned")
    func childrenThatDisposeTheirParent() {
        let parent = SignalSubscription()
        let (first, second, third) = (parent.makeChild(), parent.makeChild(), parent.makeChild())
        let log = Log<String>()
        first.onDispose {
            second.dispose()
            log.add("first")
        }
        second.onDispose {
            parent.dispose()
            log.add("second")
        }
        third.onDispose { log.add("third") }
        parent.whenTornDown { log.add("torn down") }
        first.dispose()
        #expect(log.entries == ["third", "second", "first", "torn down"])
        #expect(parent.isTornDown && first.isTornDown && second.isTornDown && third.isTornDown)
    }

    @Test("A chain that was never disposed is released without recursion")
    func aChainThatNobodyEndedIsFreedWithoutRecursion() {
        let isFreed = Box(false)
        onSmallStack {
            weak var end: SignalSubscription?
            do {
                let root = SignalSubscription()
                var last = root
                for _ in 0..<100_000 { last = last.makeChild() }
                end = last
            }
            isFreed.value = end == nil
        }
        #expect(isFreed.value)
    }

    @Test("A link that passes no pause does not make a cycle of links")
    func aLinkThatPassesNothing() {
        let (first, second) = (SignalSubscription(), SignalSubscription())
        let child = first.makeChild(passing: .nothing)
        child.passPauses(to: second, .asItIs)
        second.passPauses(to: first, .asItIs)
        let pause = second.pause()
        #expect(first.isPaused && !child.isPaused)
        pause.dispose()
        #expect(!first.isPaused)
        first.dispose()
        #expect(child.isDisposed)
    }

    @Test("The source of a shared signal may observe the shared signal")
    func aSharedSourceMayObserveItself() {
        let subject = Subject<Int, Never>()
        let shared = Box<Signal<Int, Never>?>(nil)
        let echo = Recorder<Int, Never>()
        let signal = Signal<Int, Never> { emitter, subscription in
            subject.subscribe(emitter, in: subscription)
            shared.value?.subscribe(echo, in: subscription.makeChild())
        }.share()
        shared.value = signal
        let subscription = SignalSubscription()
        let recorder = signal.record(in: subscription)
        subject.send(1)
        let hold = subscription.pause()
        subject.send(2)
        #expect(recorder.values == [1])
        hold.dispose()
        subject.send(3)
        #expect(recorder.values == [1, 2, 3])
        #expect(echo.values == [1, 2, 3])
        shared.value = nil
        subject.complete()
    }
}
