// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// Operators that start one signal after another do so when the previous one has been torn down, on any thread.
@Suite struct ExclusiveRestartTests {
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
        let resource = ExclusiveResource.slow(isClosing, mayClose)
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
        let resource = ExclusiveResource.slow(isClosing, mayClose)
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

    @Test("flatMapError calls its closure immediately, and starts the signal after a teardown on another thread")
    func aFailureIsHandledImmediately() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = ExclusiveResource.slow(isClosing, mayClose)
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
        let resource = ExclusiveResource.slow(isClosing, mayClose)
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

    // A full `flatMap` pauses its source, whose completion then waits for a free slot.
    @Test("flatMap with a free slot completes although a teardown on another thread has not returned")
    func aTerminationDoesNotWait() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = ExclusiveResource.slow(isClosing, mayClose)
        let stop = Subject<Int, TestError>()
        let recorder = Signal<Int, TestError>(values: [0])
            .flatMap(.concurrent(limit: 2)) { _ in resource.signal.take(until: stop.signal) }
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
        let resource = ExclusiveResource.slow(isClosing, mayClose)
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
        let resource = ExclusiveResource.slow(isClosing, mayClose)
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
        let resource = ExclusiveResource.slow(isClosing, mayClose)
        let subject = Subject<Int, TestError>()
        let subscription = subject.signal.flatMap(.latest) { _ in resource.signal }
            .subscribe(onValue: { _ in }, onTermination: { _ in })
        subject.send(0)
        let sending = TestThread {
            try isClosing.wait("the teardown")
            for number in 1...manyLevels { subject.send(number) }
            mayClose.arrive()
        }
        onSmallStack { resource.complete() }
        try sending.join("the values")
        #expect(resource.opened == 2)
        #expect(!resource.hasOverlapped)
        subscription.dispose()
    }

    /// The first signal that waits is started by a thread that delivers no value of the subject. So each value that a
    /// signal sends is delivered inside that signal's start.
    @Test("A loop of flatMap(.latest) through a subject uses constant stack, also after a teardown")
    func aLoopAfterATeardown() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let resource = ExclusiveResource.slow(isClosing, mayClose)
        let subject = Subject<Int, TestError>()
        let last = manyLevels
        let recorder = subject.signal
            .flatMap(.latest) { number -> Signal<Int, TestError> in
                if number == 0 { return resource.signal }
                return Signal { emitter, _ in
                    if number < last { subject.send(number + 1) } else { emitter.send(number) }
                }
            }
            .record()
        subject.send(0)
        let sending = TestThread {
            try isClosing.wait("the teardown")
            subject.send(1)
            mayClose.arrive()
        }
        onSmallStack { resource.complete() }
        try sending.join("the value")
        #expect(recorder.values == [last])
    }

    @Test("A subscription is torn down when all teardowns of its descendants have returned")
    func aTeardownOnAnotherThread() throws {
        let (isClosing, mayClose) = (Latch(), Latch())
        let subscription = SignalSubscription()
        let child = subscription.makeChild().makeChild()
        child.makeChild().onDispose { isClosing.arrive(waitingFor: mayClose) }
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
