// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@Suite struct AsyncTests {
    @Test func everyValueArrives() async {
        var values: [Int] = []
        for await value in Signal<Int, Never>(values: 0..<1000).values() { values.append(value) }
        #expect(values == Array(0..<1000))
    }

    @Test("A second task that waits in an iterator traps with the sentence")
    func oneTaskForEachIterator() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            nonisolated(unsafe) let iterator = Signal<Int, Never>.never.values.makeAsyncIterator()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var copy = iterator
                        _ = await copy.next()
                    }
                }
            }
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("another task waits in `next`: use one iterator for each task"))
    }

    @Test("values pauses the source while 64 values wait, and loses none")
    func valuesWithoutArguments() async throws {
        let sent = Box(0)
        let source = Signal<Int, Never>(values: 0..<1000).handleEvents(onValue: { _ in sent.value += 1 })
        var numbers: [Int] = []
        var ahead = 0
        for await number in source.values {
            numbers.append(number)
            ahead = max(ahead, sent.value - numbers.count)
        }
        #expect(numbers == Array(0..<1000))
        #expect(ahead == 64)
        let failing: Signal<Int, TestError> = Signal(values: 0..<3).concat(.fail(.broken))
        var beforeTheFailure: [Int] = []
        do throws(TestError) {
            for try await number in failing.values { beforeTheFailure.append(number) }
            Issue.record("the loop should have thrown")
        } catch {
            #expect(error == .broken)
        }
        #expect(beforeTheFailure == [0, 1, 2])
    }

    @Test("The failure is thrown after the values")
    func theFailureIsThrownAfterTheValues() async {
        let signal = Signal<Int, TestError> { emitter, _ in
            emitter.send(1)
            emitter.fail(.broken)
        }
        var values: [Int] = []
        do throws(TestError) {
            for try await value in signal.values() { values.append(value) }
            Issue.record("the loop should have thrown")
        } catch {
            #expect(error == .broken)
        }
        #expect(values == [1])
    }

    @MainActor @Test("A task that waits receives the failure once")
    func aTaskThatWaitsIsThrownTheFailureOnce() async {
        let subject = Subject<Int, TestError>()
        let log = Log<String>()
        var iterator = subject.signal.values().makeAsyncIterator()
        // The task runs when this task suspends.
        let failing = Task { @MainActor in subject.fail(.broken) }
        for _ in 0..<3 {
            do throws(TestError) {
                log.add(try await iterator.next(isolation: #isolation) == nil ? "end" : "value")
            } catch {
                log.add("\(error)")
            }
        }
        await failing.value
        #expect(log.entries == ["broken", "end", "end"])
    }

    @Test("The loop pauses the source at its limit", arguments: [1, 2, 64, 0])
    func theSourceIsHeldBack(_ limit: Int) async {
        let sent = Box(0)
        let source = Signal<Int, Never>(values: 0..<1000).handleEvents(onValue: { _ in sent.value += 1 })
        var iterator = source.values(limit: limit).makeAsyncIterator()
        #expect(sent.value == max(1, limit))
        var values: [Int] = []
        while let value = await iterator.next() {
            values.append(value)
            #expect(sent.value - values.count <= max(1, limit))
        }
        #expect(values == Array(0..<1000))
    }

    @Test("Leaving the loop disposes the subscription")
    func leavingTheLoopDisposes() async {
        let subject = Subject<Int, Never>()
        let released = Box(false)
        let signal = subject.signal.handleEvents(
            onSubscribe: { for value in 0..<3 { subject.send(value) } },
            onDispose: { released.value = true }
        )
        for await value in Signal.merge(signal, Signal(values: 0..<3)).values() where value == 1 { break }
        #expect(released.value)
    }

    @Test("Cancelling the task disposes the subscription and ends the loop")
    func cancellingTheTaskDisposesAndEndsTheLoop() async throws {
        let (released, waiting) = (Latch(), Latch())
        let signal = Signal<Int, Never> { emitter, subscription in
            subscription.onDispose { released.arrive() }
            emitter.send(1)
        }
        let task = Task.detached {
            var values: [Int] = []
            for await value in signal.values() {
                values.append(value)
                waiting.arrive()
            }
            return values
        }
        try await eventually("the first value") { waiting.isOpen }
        task.cancel()
        #expect(await task.value == [1])
        try await eventually("the release") { released.isOpen }
    }

    @Test("A cancelled task receives nothing")
    func aCancelledTaskGetsNothing() async {
        let task = Task.detached {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = Signal<Int, Never>.never.values().makeAsyncIterator()
            return await iterator.next()
        }
        #expect(await task.value == nil)
    }

    @Test("Sends, cancellation and next may race")
    func sendsCancellationAndAskingMayRace() async {
        for _ in 0..<50 {
            let subject = Subject<Int, Never>()
            let task = Task.detached {
                var last = -1
                for await value in subject.signal.values(limit: 4) {
                    #expect(value > last)
                    last = value
                }
            }
            async let sender: Void = Task.detached { for value in 0..<100 { subject.send(value) } }.value
            async let canceller: Void = Task.detached { task.cancel() }.value
            _ = await (sender, canceller, task.value)
        }
    }
}
