// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Laws 7, 9 and 11 for `observe(on:)` and `subscribe(on:)`.
@Suite struct HopTests {
    @Test("All events arrive in order on the scheduler")
    func everythingArrivesInOrderOnTheScheduler() {
        let scheduler = ManualScheduler()
        let subject = Subject<Int, TestError>()
        let recorder = Recorder<Int, TestError>()
        let strays = Box(0)
        subject.signal.observe(on: scheduler)
            .handleEvents(onValue: { _ in if !scheduler.isCurrent { strays.value += 1 } })
            .subscribe(recorder, in: SignalSubscription())
        for value in 0..<100 { subject.send(value) }
        subject.fail(.broken)
        #expect(recorder.events.isEmpty)
        scheduler.run()
        #expect(recorder.values == Array(0..<100))
        #expect(recorder.end == .failed(.broken))
        #expect(strays.value == 0)
    }

    /// A failure that overtakes the queue and a disposing thread both empty it.
    @Test(
        "A failure may overtake the queue while another thread disposes",
        arguments: [OverflowPolicy.pauseSource, .dropOldest]
    )
    func aFailureOvertakesWhileAnotherThreadDisposes(_ policy: OverflowPolicy) {
        for _ in 0..<500 {
            let (subject, subscription) = (Subject<Int, TestError>(), SignalSubscription())
            let recorder = subject.signal.observe(on: ImmediateScheduler.shared, limit: 8, whenFull: policy)
                .flatMap(.concat) { _ in Signal<Int, TestError>.never }.record(in: subscription)
            for value in 0..<6 { subject.send(value) }
            let hold = subscription.pause()
            subject.fail(.broken)
            onThreads(2) { thread in if thread == 0 { hold.dispose() } else { subscription.dispose() } }
            #expect(recorder.events.allSatisfy { $0 == .ended(.failed(.broken)) } && recorder.events.count <= 1)
        }
    }

    @Test("A batch of values is one job")
    func oneBatchIsOnePieceOfWork() {
        let scheduler = ManualScheduler()
        let subject = Subject<Int, Never>()
        let recorder = subject.signal.observe(on: scheduler).record()
        for value in 0..<100 { subject.send(value) }
        #expect(scheduler.executions == 1)
        scheduler.run()
        #expect(scheduler.executions == 1)
        subject.send(100)
        #expect(scheduler.executions == 2)
        scheduler.run()
        #expect(recorder.values.count == 101)
    }

    @Test("A turn delivers a bounded number of values")
    func aTurnIsBounded() {
        let scheduler = ManualScheduler()
        let subject = Subject<Int, Never>()
        let recorder = subject.signal.observe(on: scheduler, limit: 10_000).record()
        for value in 0..<5000 { subject.send(value) }
        scheduler.runOne()
        #expect(recorder.values.count == 1024)
        scheduler.run()
        #expect(recorder.values == Array(0..<5000))
    }

    @Test("A hop pauses its source at the limit", arguments: [1, 2, 3, 10, 256])
    func aSourceThatCanWaitIsHeldBack(_ limit: Int) {
        let scheduler = ManualScheduler()
        let sent = Box(0)
        let recorder = Signal<Int, Never>(values: 0..<10_000)
            .handleEvents(onValue: { _ in sent.value += 1 })
            .observe(on: scheduler, limit: limit)
            .record()
        #expect(sent.value == limit)
        let most = Box(0)
        while scheduler.runOne() {
            let waiting = sent.value - recorder.values.count
            most.update { $0 = max($0, waiting) }
        }
        #expect(most.value <= limit)
        #expect(recorder.values == Array(0..<10_000))
        #expect(recorder.end == .completed)
    }

    @Test("A limit below one counts as one")
    func aLimitBelowOneCountsAsOne() {
        let scheduler = ManualScheduler()
        let sent = Box(0)
        let recorder = Signal<Int, Never>(values: 0..<10)
            .handleEvents(onValue: { _ in sent.value += 1 })
            .observe(on: scheduler, limit: -5)
            .record()
        #expect(sent.value == 1)
        scheduler.run()
        #expect(recorder.values == Array(0..<10))
    }

    @Test(
        "The overflow policy decides which values are dropped",
        arguments: [(OverflowPolicy.dropOldest, [7, 8, 9]), (.dropNewest, [0, 1, 2])]
    )
    func theNamedPolicyDrops(_ policy: OverflowPolicy, _ kept: [Int]) {
        let scheduler = ManualScheduler()
        let recorder = Signal<Int, Never>(values: 0..<10).observe(on: scheduler, limit: 3, whenFull: policy).record()
        scheduler.run()
        #expect(recorder.values == kept)
        #expect(recorder.end == .completed)
    }

    /// A value that is being delivered does not wait.
    @Test(
        "A value that is being delivered does not count towards the limit",
        arguments: [(OverflowPolicy.dropOldest, [1, 4]), (.dropNewest, [1, 2])]
    )
    func whatIsBeingDeliveredDoesNotCount(_ policy: OverflowPolicy, _ delivered: [Int]) {
        let scheduler = ManualScheduler()
        let subject = Subject<Int, Never>()
        let log = Log<Int>()
        subject.signal.observe(on: scheduler, limit: 1, whenFull: policy).subscribe { value in
            log.add(value)
            if value == 1 { for next in 2...4 { subject.send(next) } }
        }
        subject.send(1)
        scheduler.run()
        #expect(log.entries == delivered)
    }

    @Test(
        "Values that a pause stopped count towards the limit again",
        arguments: [
            (OverflowPolicy.dropOldest, 1, [3]), (.dropOldest, 2, [2, 3]), (.dropOldest, 3, [1, 2, 3]),
            (.dropNewest, 1, [1]), (.dropNewest, 2, [1, 2]),
        ]
    )
    func whatAPauseStoppedCountsAgain(_ policy: OverflowPolicy, _ limit: Int, _ delivered: [Int]) {
        let scheduler = ManualScheduler()
        let subject = Subject<Int, Never>()
        let subscription = SignalSubscription()
        let recorder = subject.signal.observe(on: scheduler, limit: limit, whenFull: policy).record(in: subscription)
        subject.send(1)
        let hold = subscription.pause()
        scheduler.run()
        subject.send(2)
        subject.send(3)
        hold.dispose()
        scheduler.run()
        #expect(recorder.values == delivered)
    }

    /// After its last turn, all remaining values are in the queue, where the policy applies to them.
    @Test("At the end of a turn all remaining values are in the queue")
    func theTurnsEndLeavesNothingOutOfTheQueue() {
        let scheduler = ManualScheduler()
        let subject = Subject<Int, Never>()
        let log = Log<Int>()
        subject.signal.observe(on: scheduler, limit: 1, whenFull: .dropOldest).subscribe { value in
            log.add(value)
            if value < 1025 { subject.send(value + 1) }
        }
        subject.send(1)
        scheduler.runOne()
        #expect(log.entries == Array(1...1024))
        subject.send(2000)
        scheduler.run()
        #expect(log.entries == Array(1...1024) + [2000])
    }

    @Test("The source is released when its termination is queued")
    func theSourceIsReleasedWhenItsEndIsQueued() {
        let scheduler = ManualScheduler()
        let subject = Subject<Int, Never>()
        let released = Box(false)
        let recorder = subject.signal.handleEvents(onDispose: { released.value = true })
            .observe(on: scheduler).record()
        subject.send(1)
        subject.complete()
        #expect(released.value)
        #expect(recorder.events.isEmpty)
        scheduler.run()
        #expect(recorder.events == [.value(1), .ended(.completed)])
    }

    @Test("Nothing arrives after a disposal")
    func nothingComesAfterDisposal() {
        let scheduler = ManualScheduler()
        let subject = Subject<Int, Never>()
        let subscription = SignalSubscription()
        let log = Log<Int>()
        subject.signal.observe(on: scheduler).subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                if value == 2 { subscription.dispose() }
            }
        )
        for value in 1...4 { subject.send(value) }
        scheduler.run()
        #expect(log.entries == [1, 2])
    }

    @Test("A pause stops the queue, and a resume continues it on the scheduler")
    func aPauseStopsTheQueueAndAResumeGoesOnOnTheScheduler() {
        let scheduler = ManualScheduler()
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = subject.signal.observe(on: scheduler).record(in: subscription)
        subject.send(1)
        let hold = subscription.pause()
        subject.send(2)
        subject.complete()
        scheduler.run()
        #expect(recorder.events.isEmpty)
        hold.dispose()
        #expect(recorder.events.isEmpty)
        scheduler.run()
        #expect(recorder.events == [.value(1), .value(2), .ended(.completed)])
    }

    @Test("A scheduler that drops its work leaves nothing behind")
    func aSchedulerThatDropsItsWorkLeavesNothingBehind() {
        let scheduler = ManualScheduler()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let subject = Subject<Int, Never>()
            subject.signal.observe(on: scheduler).subscribe { _ in strong.touch() }
            subject.send(1)
        }
        #expect(witness != nil)
        scheduler.drop()
        #expect(witness == nil)
    }

    @Test("Sending, delivering and pausing threads keep order and count")
    func twoThreadsAndAPausingThirdKeepOrderAndCount() throws {
        let scheduler = QueueScheduler()
        let subscription = SignalSubscription()
        let recorder = Recorder<Int, Never>()
        let done = Latch()
        Signal<Int, Never>(values: 0..<20_000).observe(on: scheduler, limit: 16)
            .handleEvents(onDispose: { done.arrive() })
            .subscribe(recorder, in: subscription)
        onThreads(2) { _ in
            for _ in 0..<500 { subscription.pause().dispose() }
        }
        try done.wait("20 000 values")
        #expect(recorder.values == Array(0..<20_000))
    }

    @Test("A disposal from another thread is final")
    func disposalFromAnotherThreadIsFinal() throws {
        let scheduler = QueueScheduler()
        let subscription = SignalSubscription()
        let count = Box(0)
        let begun = Latch()
        Signal<Int, Never>(values: Naturals()).observe(on: scheduler, limit: 8).subscribe(
            in: subscription,
            onValue: { value in
                count.value = value
                if value == 100 { begun.arrive() }
            }
        )
        try begun.wait("100 values")
        let (atDisposal, drained) = (Box(0), Latch())
        scheduler.execute {
            subscription.dispose()
            atDisposal.value = count.value
        }
        scheduler.execute { scheduler.execute { drained.arrive() } }
        try drained.wait("the drained queue")
        #expect(count.value == atDisposal.value)
    }

    @Test("subscribe(on:) subscribes on the scheduler")
    func subscribingIsMovedToTheScheduler() {
        let scheduler = ManualScheduler()
        let starts = Log<Bool>()
        let source = Signal<Int, Never>.just(1).handleEvents(onSubscribe: { starts.add(scheduler.isCurrent) })
        let recorder = source.subscribe(on: scheduler).record()
        #expect(starts.entries.isEmpty)
        scheduler.run()
        #expect(starts.entries == [true])
        #expect(recorder.events == [.value(1), .ended(.completed)])

        let subscription = SignalSubscription()
        let silent = source.subscribe(on: scheduler).record(in: subscription)
        subscription.dispose()
        scheduler.run()
        #expect(starts.count == 1)
        #expect(silent.events.isEmpty)
    }
}
