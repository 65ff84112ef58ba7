// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import SchedulerConformance
import Testing

@Suite struct AsyncBridgeTests {
    /// A sequence of numbers with an optional failure. It counts the calls of `next`.
    private struct Numbers: AsyncSequence, Sendable {
        let count: Int
        let failure: TestError?
        let asked = Box(0)

        struct AsyncIterator: AsyncIteratorProtocol {
            let numbers: Numbers
            var next = 0

            mutating func next(isolation actor: isolated (any Actor)?) async throws(TestError) -> Int? {
                numbers.asked.value += 1
                if next == numbers.count {
                    if let failure = numbers.failure { throw failure }
                    return nil
                }
                next += 1
                return next - 1
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(numbers: self) }
    }

    @Test("A signal of a sequence pauses the sequence with its subscriber")
    func aSequenceIsFollowedAndHeldBack() async throws {
        let numbers = Numbers(count: 100, failure: nil)
        #expect(try await Signal(numbers).allValues() == Array(0..<100))
        let broken = Numbers(count: 3, failure: .broken)
        let log = Log<Int>()
        do throws(TestError) {
            _ = try await Signal(broken).map { log.add($0) }.last()
            Issue.record("it should have thrown")
        } catch {
            #expect(error == .broken)
        }
        #expect(log.entries == [0, 1, 2])

        // The subscriber pauses at each value, and another task resumes it: at most one value is in flight.
        let paced = Numbers(count: 50, failure: nil)
        let subscription = SignalSubscription()
        let (seen, holds, done) = (Log<Int>(), Log<any Disposable>(), Latch())
        let most = Box(0)
        Signal(paced).subscribe(
            in: subscription,
            onValue: { value in
                seen.add(value)
                most.update { $0 = max($0, paced.asked.value - seen.count) }
                let hold = subscription.pause()
                holds.add(hold)
                Task.detached { hold.dispose() }
            },
            onTermination: { _ in done.arrive() }
        )
        try await eventually("the termination") { done.isOpen }
        #expect(seen.entries == Array(0..<50))
        #expect(most.value <= 1)
    }

    @Test("Disposing the subscription cancels the task")
    func disposingCancelsTheTask() async throws {
        let (started, cancelled) = (Latch(), Latch())
        let stream = AsyncStream<Int> { continuation in
            continuation.onTermination = { _ in cancelled.arrive() }
            continuation.yield(1)
        }
        let subscription = Signal<Int, Never>(stream).subscribe { _ in started.arrive() }
        try await eventually("the first value") { started.isOpen }
        subscription.dispose()
        try await eventually("the cancellation") { cancelled.isOpen }
    }

    @Test("Disposing a paused subscription ends the task")
    func disposingWhilePausedEndsTheTask() async throws {
        let (started, cancelled) = (Latch(), Latch())
        let stream = AsyncStream<Int> { continuation in
            continuation.onTermination = { _ in cancelled.arrive() }
            for value in 0..<10 { continuation.yield(value) }
        }
        let subscription = SignalSubscription()
        Signal<Int, Never>(stream).subscribe(
            in: subscription,
            onValue: { _ in
                _ = subscription.pause()
                started.arrive()
            }
        )
        try await eventually("the first value") { started.isOpen }
        subscription.dispose()
        try await eventually("the cancellation") { cancelled.isOpen }
    }

    @Test("A signal of a function calls it for each subscription")
    func aFunctionIsCalledForEachSubscription() async throws {
        let calls = Box(0)
        let signal = Signal<Int, TestError>(async: { () async throws(TestError) in
            let call = calls.update {
                $0 += 1
                return $0
            }
            if call == 3 { throw .broken }
            return call
        })
        #expect(calls.value == 0)
        #expect(try await signal.allValues() == [1])
        #expect(try await signal.first() == 2)
        await #expect(throws: TestError.broken) { try await signal.first() }
    }

    @Test("first, last and allValues return the values")
    func firstLastAndAll() async throws {
        let signal = Signal<Int, Never>(values: 1...100)
        #expect(await signal.first() == 1)
        #expect(await signal.last() == 100)
        #expect(await signal.allValues() == Array(1...100))
        #expect(await Signal<Int, Never>.empty.first() == nil)
        #expect(await Signal<Int, Never>.empty.last() == nil)
        let released = Box(false)
        let endless = Signal<Int, Never>(values: Naturals()).handleEvents(onDispose: { released.value = true })
        #expect(await endless.first() == 0)
        #expect(released.value)
        let failing = Signal<Int, TestError>.just(1).concat(.fail(.broken))
        #expect(try await failing.first() == 1)
        await #expect(throws: TestError.broken) { try await failing.last() }
        await #expect(throws: TestError.broken) { try await failing.allValues() }
    }

    @MainActor @Test("On the main actor, values are delivered immediately unless others wait")
    func theMainActorIsServedWithoutAHopWhereItIsThere() async {
        let subject = Subject<Int, Never>()
        let model = Model()
        let (ended, end) = AsyncStream<Void>.makeStream()
        subject.signal.subscribe(onMain: { model.values.append($0) }, onTermination: { _ in end.finish() })
        subject.send(1)
        #expect(model.values == [1])
        // A value from another thread is queued. This task occupies the main actor, so nothing arrives before the
        // task awaits. The thread is new, because blocking tests may occupy all threads of the pool.
        onThreads(1) { _ in subject.send(2) }
        #expect(model.values == [1])
        // It is queued behind the waiting value, although it could be delivered at once.
        subject.send(3)
        #expect(model.values == [1])
        subject.complete()
        for await _ in ended {}
        #expect(model.values == [1, 2, 3])
    }

    @MainActor @Test("On the main actor, nothing arrives after a disposal")
    func nothingComesOnTheMainActorAfterADisposal() async {
        let subject = Subject<Int, Never>()
        let model = Model()
        let subscription = subject.signal.subscribe(onMain: { model.values.append($0) })
        onThreads(1) { _ in subject.send(1) }
        subscription.dispose()
        await Task { @MainActor in }.value
        #expect(model.values.isEmpty)
    }

    @MainActor private final class Model {
        var values: [Int] = []
    }
}
