// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// A shared signal starts its source again when the previous run has been torn down, on any thread.
@Suite struct ExclusiveRunTests {
    struct Sharing: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let share: @Sendable (Signal<Int, TestError>) -> Signal<Int, TestError>
    }

    private static let sharings = [
        Sharing(testDescription: "share()") { $0.share() },
        Sharing(testDescription: "share(whilePaused:)") { $0.share(whilePaused: .unbounded) },
        Sharing(testDescription: "share(replay:)") { $0.share(replay: 1) },
        Sharing(testDescription: "share() of share()") { $0.share().map { $0 }.share() },
        Sharing(testDescription: "share() of operators") {
            $0.take(until: Signal<Int, Never>.never).merge(with: .never).share()
        },
        Sharing(testDescription: "share() of buffer(_:)") { $0.buffer(8).share() },
        Sharing(testDescription: "share() of buffer(_:whenFull:)") { $0.buffer(8, whenFull: .dropOldest).share() },
        Sharing(testDescription: "share() of take(until:)") { Signal<Int, TestError>.never.take(until: $0).share() },
        Sharing(testDescription: "share() of skip(until:)") { Signal<Int, TestError>.never.skip(until: $0).share() },
        Sharing(testDescription: "share() of withLatest(from:)") {
            Signal<Int, TestError>.never.withLatest(from: $0).map { $0.0 }.share()
        },
    ]

    @Test("A subscriber that arrives during the teardown waits for its end", arguments: sharings)
    func theLastObserverLeaves(_ sharing: Sharing) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = ExclusiveResource.slow(isClosing, mayClose)
        let shared = sharing.share(resource.signal)
        let first = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        let leaving = TestThread { first.dispose() }
        try isClosing.wait("the teardown")
        let waiting = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        shared.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose()
        #expect(resource.opened == 1)
        mayClose.arrive()
        try leaving.join("the teardown")
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
        waiting.dispose()
        #expect(resource.users == 0)
    }

    @Test("If all subscribers leave during the teardown, the source does not start", arguments: sharings)
    func allLeaveAgain(_ sharing: Sharing) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = ExclusiveResource.slow(isClosing, mayClose)
        let shared = sharing.share(resource.signal)
        let first = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        let leaving = TestThread { first.dispose() }
        try isClosing.wait("the teardown")
        for _ in 0..<3 { shared.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose() }
        mayClose.arrive()
        try leaving.join("the teardown")
        #expect(resource.opened == 1)
        shared.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose()
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
    }

    @Test("A subscriber also waits for a teardown by the source's termination", arguments: sharings)
    func theSourceTerminates(_ sharing: Sharing) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = ExclusiveResource.slow(isClosing, mayClose)
        let shared = sharing.share(resource.signal)
        let first = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        let failing = TestThread { resource.fail() }
        try isClosing.wait("the teardown")
        // The thread that fails the source is running the teardown, so this call does not.
        first.dispose()
        let waiting = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        #expect(resource.opened == 1)
        mayClose.arrive()
        try failing.join("the failure")
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
        waiting.dispose()
    }

    @Test("A subscriber also waits for a teardown that an operator has added", arguments: sharings)
    func anOperatorsTeardown(_ sharing: Sharing) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = ExclusiveResource.slow(isClosing, mayClose)
        let subject = Subject<Int, TestError>()
        let source = subject.signal.handleEvents(
            onSubscribe: { resource.open() },
            onDispose: { resource.close() }
        )
        let shared = sharing.share(source)
        shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        let failing = TestThread { subject.fail(.broken) }
        try isClosing.wait("the teardown")
        shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        mayClose.arrive()
        try failing.join("the failure")
        #expect(!resource.hasOverlapped)
    }

    @Test("A subscriber waits while the source is being started", arguments: sharings)
    func theStartIsSlow(_ sharing: Sharing) throws {
        let (isOpening, mayOpen) = (Latch(), Latch())
        let resource = ExclusiveResource(onOpen: { if !isOpening.isOpen { isOpening.arrive(waitingFor: mayOpen) } })
        let shared = sharing.share(resource.signal)
        let first = SignalSubscription()
        let starting = TestThread {
            shared.subscribe(in: first, onValue: { _ in }, onTermination: { _ in })
        }
        try isOpening.wait("the start")
        first.dispose()
        let second = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        #expect(resource.opened == 1)
        mayOpen.arrive()
        try starting.join("the start")
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
        second.dispose()
    }

    @Test("A subscription inside the teardown starts the source afterwards", arguments: sharings)
    func subscribingInsideTheTeardown(_ sharing: Sharing) {
        let shared = Box<Signal<Int, TestError>?>(nil)
        let second = SignalSubscription()
        let isFirst = Box(true)
        let resource = ExclusiveResource(onClose: {
            guard isFirst.value else { return }
            isFirst.value = false
            shared.value?.subscribe(in: second, onValue: { _ in }, onTermination: { _ in })
        })
        let signal = sharing.share(resource.signal)
        shared.value = signal
        signal.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose()
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
        second.dispose()
        #expect(resource.users == 0)
        shared.value = nil
    }

    @Test("Many runs that begin and end during a teardown cost no stack", arguments: sharings)
    func manyRunsDuringATeardown(_ sharing: Sharing) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = ExclusiveResource.slow(isClosing, mayClose)
        let shared = sharing.share(resource.signal)
        let first = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        let subscribing = TestThread {
            try isClosing.wait("the teardown")
            for _ in 0..<manyLevels { shared.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose() }
            shared.subscribe(onValue: { _ in }, onTermination: { _ in })
            mayClose.arrive()
        }
        onSmallStack { first.dispose() }
        try subscribing.join("the subscriptions")
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
    }

    @Test("A run that waits is released when a newer one replaces it", arguments: sharings)
    func aRunThatIsReplacedIsReleased(_ sharing: Sharing) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = ExclusiveResource.slow(isClosing, mayClose)
        let shared = sharing.share(resource.signal)
        let first = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        let leaving = TestThread { first.dispose() }
        try isClosing.wait("the teardown")
        weak var replaced: SignalSubscription?
        do {
            let subscription = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
            replaced = subscription
            subscription.dispose()
        }
        shared.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose()
        #expect(replaced == nil)
        mayClose.arrive()
        try leaving.join("the teardown")
    }

    /// Each run terminates while it is started, so the next one begins inside of it.
    @Test("A shared signal that terminates at once is retried without recursion, also after a teardown")
    func retriesOfASharedSignal() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let runs = Box(0)
        let source = Signal<Int, TestError> { emitter, subscription in
            runs.increment()
            let run = runs.value
            if run == 1 {
                subscription.onDispose { isClosing.arrive(waitingFor: mayClose) }
            } else if run <= manyLevels {
                emitter.fail(.broken)
            } else {
                emitter.complete()
            }
        }
        let shared = source.share()
        let first = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        let recorder = Recorder<Int, TestError>()
        let subscribing = TestThread {
            try isClosing.wait("the teardown")
            shared.retry().subscribe(recorder)
            mayClose.arrive()
        }
        onSmallStack { first.dispose() }
        try subscribing.join("the subscription")
        #expect(runs.value == manyLevels + 1)
        #expect(recorder.events == [.ended(.completed)])
    }

    @Test("A subscriber that waits receives the values of the new run")
    func aWaitingSubscriberReceivesValues() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let first = Box(true)
        let subject = Subject<Int, Never>()
        let source = Signal<Int, Never> { emitter, subscription in
            let isFirst = first.value
            first.value = false
            subscription.onDispose { if isFirst { isClosing.arrive(waitingFor: mayClose) } }
            emitter.send(isFirst ? 1 : 2)
            subject.signal.subscribe(emitter, in: subscription)
        }
        var shared: Signal<Int, Never>? = source.share(replay: 1)
        let old = SignalSubscription()
        shared?.subscribe(in: old)
        let leaving = TestThread { old.dispose() }
        try isClosing.wait("the teardown")
        let recorder = shared?.record()
        let late = shared?.record()
        // The run that waits needs no copy of the signal.
        shared = nil
        #expect(recorder?.values == [])
        mayClose.arrive()
        try leaving.join("the teardown")
        subject.send(3)
        #expect(recorder?.values == [2, 3])
        #expect(late?.values == [2, 3])
    }
}
