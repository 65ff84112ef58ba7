// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// Operators that start a source again do so when the previous run has been torn down, on any thread.
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

    /// A resource whose first user blocks in `close()` until the latch opens.
    private static func slow(_ isClosing: Latch, _ mayClose: Latch) -> ExclusiveResource {
        let isFirst = Box(true)
        return ExclusiveResource(onClose: {
            let blocks = isFirst.update { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard blocks else { return }
            isClosing.arrive()
            do { try mayClose.wait("the permission to close") } catch { Issue.record(error) }
        })
    }

    @Test("A subscriber that arrives during the teardown waits for its end", arguments: sharings)
    func theLastObserverLeaves(_ sharing: Sharing) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
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
        let resource = Self.slow(isClosing, mayClose)
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
        let resource = Self.slow(isClosing, mayClose)
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
        let resource = Self.slow(isClosing, mayClose)
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
        let resource = ExclusiveResource(onOpen: {
            if isOpening.isOpen { return }
            isOpening.arrive()
            do { try mayOpen.wait("the permission to open") } catch { Issue.record(error) }
        })
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
        let resource = Self.slow(isClosing, mayClose)
        let shared = sharing.share(resource.signal)
        let first = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        let isOver = Box(false)
        onSmallStack {
            let subscribing = TestThread {
                try isClosing.wait("the teardown")
                for _ in 0..<100_000 { shared.subscribe(onValue: { _ in }, onTermination: { _ in }).dispose() }
                shared.subscribe(onValue: { _ in }, onTermination: { _ in })
                mayClose.arrive()
            }
            first.dispose()
            do { try subscribing.join("the subscriptions") } catch { Issue.record(error) }
            isOver.value = true
        }
        #expect(isOver.value)
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
    }

    @Test("A run that waits is released when a newer one takes its place", arguments: sharings)
    func aRunThatIsReplacedIsReleased(_ sharing: Sharing) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
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
                subscription.onDispose {
                    isClosing.arrive()
                    do { try mayClose.wait("the permission to close") } catch { Issue.record(error) }
                }
            } else if run <= 100_000 {
                emitter.fail(.broken)
            } else {
                emitter.complete()
            }
        }
        let shared = source.share()
        let first = shared.subscribe(onValue: { _ in }, onTermination: { _ in })
        let recorder = Recorder<Int, TestError>()
        onSmallStack {
            let subscribing = TestThread {
                try isClosing.wait("the teardown")
                shared.retry().subscribe(recorder)
                mayClose.arrive()
            }
            first.dispose()
            do { try subscribing.join("the subscription") } catch { Issue.record(error) }
        }
        #expect(runs.value == 100_001)
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
            subscription.onDispose {
                guard isFirst else { return }
                isClosing.arrive()
                do { try mayClose.wait("the permission to close") } catch { Issue.record(error) }
            }
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

    // MARK: Operators that start the next signal

    private static let restarting: [OperatorCase] = [
        OperatorCase("retry(upTo:)") { signal, _ in signal.retry(upTo: 1) },
        OperatorCase("retry(upTo:after:on:)") { signal, time in signal.retry(upTo: 1, after: .zero, on: time) },
        OperatorCase("retry(upTo:backoff:on:)") { signal, time in
            signal.retry(upTo: 1, backoff: Backoff(first: .zero), on: time)
        },
        OperatorCase("repeat(times:)") { signal, _ in signal.flatMapError { _ in .empty }.repeat(times: 2) },
        OperatorCase("concat(_:)") { signal, _ in signal.flatMapError { _ in .empty }.concat(signal) },
        OperatorCase("prefix(_:)") { signal, _ in signal.prefix(signal.flatMapError { _ in .empty }) },
        OperatorCase("then(_:)") { signal, _ in signal.flatMapError { _ in .empty }.then(signal) },
        OperatorCase("flatMapError(_:)") { signal, _ in signal.flatMapError { _ in signal } },
    ]

    /// The timeout fails the signal while another thread is closing the resource.
    @Test("The next signal starts when a teardown on another thread has returned", arguments: restarting)
    func aTimeoutDuringATeardown(_ operation: OperatorCase) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
        let (time, timeout) = (TestScheduler(), TestScheduler())
        let source = resource.signal.timeout(after: .seconds(1), raising: .other, on: timeout)
        let subscription = operation.make(source, time).subscribe(onValue: { _ in }, onTermination: { _ in })
        let completing = TestThread { resource.complete() }
        try isClosing.wait("the teardown")
        try timeout.advance(by: .seconds(1))
        try time.advance(by: .seconds(1))
        #expect(resource.opened == 1)
        mayClose.arrive()
        try completing.join("the completion")
        try time.advance(by: .seconds(1))
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
        subscription.dispose()
    }

    private static let passingOn: [OperatorCase] = [
        OperatorCase("retry(upTo:)") { signal, _ in signal.retry(upTo: 0) },
        OperatorCase("retry(upTo:after:on:)") { signal, time in signal.retry(upTo: 0, after: .zero, on: time) },
        OperatorCase("retry(upTo:backoff:on:)") { signal, time in
            signal.retry(upTo: 0, backoff: Backoff(first: .zero), on: time)
        },
        OperatorCase("repeat(times:)") { signal, _ in signal.repeat(times: 2) },
        OperatorCase("concat(_:)") { signal, _ in signal.concat(Signal<Int, TestError>.never) },
        OperatorCase("then(_:)") { signal, _ in signal.then(Signal<Int, TestError>.never) },
    ]

    @Test("A failure that is passed on does not wait for a teardown on another thread", arguments: passingOn)
    func aFailureDoesNotWait(_ operation: OperatorCase) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
        let (time, timeout) = (TestScheduler(), TestScheduler())
        let source = resource.signal.timeout(after: .seconds(1), raising: .other, on: timeout)
        let recorder = operation.make(source, time).record()
        let completing = TestThread { resource.complete() }
        try isClosing.wait("the teardown")
        try timeout.advance(by: .seconds(1))
        #expect(recorder.end == .failed(.other))
        mayClose.arrive()
        try completing.join("the completion")
        #expect(resource.opened == 1)
    }

    @Test("flatMapError calls its closure at once, and starts the signal after a teardown on another thread")
    func aFailureIsHandledAtOnce() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
        let timeout = TestScheduler()
        let failures = Log<TestError>()
        let subscription = resource.signal.timeout(after: .seconds(1), raising: .other, on: timeout)
            .flatMapError { failure -> Signal<Int, TestError> in
                failures.add(failure)
                return resource.signal
            }
            .subscribe(onValue: { _ in }, onTermination: { _ in })
        let completing = TestThread { resource.complete() }
        try isClosing.wait("the teardown")
        try timeout.advance(by: .seconds(1))
        #expect(failures.entries == [.other])
        #expect(resource.opened == 1)
        mayClose.arrive()
        try completing.join("the completion")
        #expect(resource.opened == 2)
        subscription.dispose()
    }

    @Test("flatMap with a limit starts a signal when another one has been torn down", arguments: [1, 2])
    func limitWaits(_ limit: Int) throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
        let stop = Subject<Int, TestError>()
        let subject = Subject<Int, TestError>()
        let recorder = subject.signal
            .flatMap(.concurrent(limit: limit)) { number -> Signal<Int, TestError> in
                if number < 0 { return .never }
                return resource.signal.take(until: stop.signal)
            }
            .record()
        // All slots but one are occupied.
        for _ in 1..<limit { subject.send(-1) }
        subject.send(0)
        subject.send(1)
        let completing = TestThread { resource.complete() }
        try isClosing.wait("the teardown")
        // The first signal completes.
        stop.send(0)
        #expect(resource.opened == 1)
        mayClose.arrive()
        try completing.join("the completion")
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
        subject.complete()
        resource.complete()
        let end: Termination<TestError>? = limit == 1 ? .completed : nil
        #expect(recorder.end == end)
    }

    @Test("flatMap(.concat) completes although a teardown on another thread has not returned")
    func aTerminationDoesNotWait() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
        let stop = Subject<Int, TestError>()
        let recorder = Signal<Int, TestError>(values: [0])
            .flatMap(.concat) { _ in resource.signal.take(until: stop.signal) }
            .record()
        let completing = TestThread { resource.complete() }
        try isClosing.wait("the teardown")
        stop.send(0)
        #expect(recorder.end == .completed)
        mayClose.arrive()
        try completing.join("the completion")
    }

    @Test("flatMap(.first) drops values until the signal has been torn down")
    func firstWaits() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
        let stop = Subject<Int, TestError>()
        let subject = Subject<Int, TestError>()
        let subscription = subject.signal
            .flatMap(.first) { _ in resource.signal.take(until: stop.signal) }
            .subscribe(onValue: { _ in }, onTermination: { _ in })
        subject.send(0)
        let completing = TestThread { resource.complete() }
        try isClosing.wait("the teardown")
        stop.send(0)
        subject.send(1)
        #expect(resource.opened == 1)
        mayClose.arrive()
        try completing.join("the completion")
        subject.send(2)
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
        subscription.dispose()
    }

    @Test("flatMap(.latest) starts a signal when the previous ones have been torn down")
    func latestWaits() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
        let subject = Subject<Int, TestError>()
        let calls = Log<Int>()
        let subscription = subject.signal
            .flatMap(.latest) { number in
                calls.add(number)
                return resource.signal
            }
            .subscribe(onValue: { _ in }, onTermination: { _ in })
        subject.send(1)
        let completing = TestThread { resource.complete() }
        try isClosing.wait("the teardown")
        // Only the newest one starts.
        for number in 2...4 { subject.send(number) }
        #expect(calls.entries == [1, 2, 3, 4])
        #expect(resource.opened == 1)
        mayClose.arrive()
        try completing.join("the completion")
        #expect(resource.opened == 2)
        subject.send(5)
        #expect(resource.opened == 3)
        #expect(!resource.hasOverlapped)
        subscription.dispose()
        #expect(resource.users == 0)
    }

    @Test("Many signals that flatMap(.latest) replaces during a teardown cost no stack")
    func manySignalsDuringATeardown() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
        let subject = Subject<Int, TestError>()
        let subscription = subject.signal.flatMap(.latest) { _ in resource.signal }
            .subscribe(onValue: { _ in }, onTermination: { _ in })
        subject.send(0)
        onSmallStack {
            let sending = TestThread {
                try isClosing.wait("the teardown")
                for number in 1...100_000 { subject.send(number) }
                mayClose.arrive()
            }
            resource.complete()
            do { try sending.join("the values") } catch { Issue.record(error) }
        }
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
        subscription.dispose()
    }

    /// The first signal that waits is started by a thread that delivers no value of the subject. So each value that a
    /// signal sends is delivered inside that signal's start.
    @Test("A loop of flatMap(.latest) through a subject uses constant stack, also after a teardown")
    func aLoopAfterATeardown() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = Self.slow(isClosing, mayClose)
        let subject = Subject<Int, TestError>()
        let last = 100_000
        let recorder = subject.signal
            .flatMap(.latest) { number -> Signal<Int, TestError> in
                if number == 0 { return resource.signal }
                return Signal { emitter, _ in
                    if number < last { subject.send(number + 1) } else { emitter.send(number) }
                }
            }
            .record()
        subject.send(0)
        onSmallStack {
            let sending = TestThread {
                try isClosing.wait("the teardown")
                subject.send(1)
                mayClose.arrive()
            }
            resource.complete()
            do { try sending.join("the value") } catch { Issue.record(error) }
        }
        #expect(recorder.values == [last])
    }

    @Test("A subscription is torn down when all teardowns of its descendants have returned")
    func aTeardownOnAnotherThread() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let subscription = SignalSubscription()
        let child = subscription.makeChild().makeChild()
        child.makeChild().onDispose {
            isClosing.arrive()
            do { try mayClose.wait("the permission to close") } catch { Issue.record(error) }
        }
        let calls = Log<Int>()
        let closing = TestThread { child.dispose() }
        try isClosing.wait("the teardown")
        subscription.whenTornDown { calls.add(1) }
        subscription.dispose()
        subscription.whenTornDown { calls.add(2) }
        #expect(calls.entries.isEmpty)
        #expect(subscription.isDisposed && !subscription.isTornDown)
        mayClose.arrive()
        try closing.join("the teardown")
        #expect(calls.entries == [1, 2])
        #expect(subscription.isTornDown && child.isTornDown)
        subscription.whenTornDown { calls.add(3) }
        #expect(calls.entries == [1, 2, 3])
    }
}
