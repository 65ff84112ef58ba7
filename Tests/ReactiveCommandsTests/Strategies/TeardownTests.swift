// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// The result of an execution while its teardowns run on another thread, and the start of the next execution.
@Suite struct TeardownTests {
    /// Work whose teardown takes as long as the test wants. The input 1 waits for its emitter; other inputs complete
    /// at once.
    private final class SlowWork: Sendable {
        let (tearing, mayReturn) = (Latch(), Latch())
        let emitter = Box<Emitter<Int, Never>?>(nil)
        let begun = Recorder<Int>()

        func signal(_ input: Int) -> Signal<Int, Never> {
            Signal { [self] emitter, subscription in
                begun.append(input)
                guard input == 1 else { return emitter.complete() }
                subscription.onDispose { [tearing, mayReturn] in
                    tearing.arrive()
                    try? mayReturn.wait("the test")
                }
                self.emitter.value = emitter
            }
        }

        func complete() { emitter.value?.complete() }
    }

    @Test("Work that has completed is not cancelled during its teardown")
    func aWorkThatHasCompletedIsNotCancelledDuringItsTeardown() throws {
        let work = SlowWork()
        let command = Command<Int, Int, Never>(.latest) { work.signal($0) }
        let first = command.execute(1).log()
        let completing = TestThread { work.complete() }
        try work.tearing.wait("the teardown")
        let second = command.execute(2).log()
        #expect(work.begun.values == [1])
        #expect(first.events.isEmpty)
        #expect(command.isExecuting.value)
        work.mayReturn.arrive()
        try completing.join()
        #expect(first.events == [.ended(.completed)])
        #expect(work.begun.values == [1, 2])
        #expect(second.end == .completed)
        #expect(!command.isExecuting.value)
    }

    /// The teardown of an input of the work counts too, although the work itself has not completed.
    @Test("The next execution waits for teardowns at every depth")
    func theNextWorkWaitsForTeardownsOfEveryDepth() throws {
        let work = SlowWork()
        let command = Command<Int, Int, Never>(.latest) { input in
            input == 1
                ? Signal(values: [1]).concat(.never).flatMap(.merge) { _ in work.signal(1) } : work.signal(input)
        }
        let first = command.execute(1).log()
        let completing = TestThread { work.complete() }
        try work.tearing.wait("the teardown")
        let second = command.execute(2).log()
        #expect(work.begun.values == [1])
        work.mayReturn.arrive()
        try completing.join()
        #expect(first.events == [.ended(.failed(.cancelled))])
        #expect(work.begun.values == [1, 2])
        #expect(second.end == .completed)
    }

    @Test(
        "A slot is free after the teardown has returned",
        arguments: [CommandStrategy.serial, .queue(limit: 1), .latest]
    )
    func aPlaceIsFreeWhenTheTeardownHasReturned(_ strategy: CommandStrategy) throws {
        let work = SlowWork()
        let command = Command<Int, Int, Never>(strategy) { work.signal($0) }
        let subscription = SignalSubscription()
        command.apply(1).subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in })
        let disposing = TestThread { subscription.dispose() }
        try work.tearing.wait("the teardown")
        let second = command.execute(2).log()
        #expect(work.begun.values == [1])
        work.mayReturn.arrive()
        try disposing.join()
        #expect(!command.isExecuting.value)
        #expect(second.end == (strategy == .serial ? .failed(.rejected(.busy)) : .completed))
    }

    /// The teardown itself requests the newer execution, and must not wait for itself.
    @Test("A teardown may execute the same command")
    func aTeardownMayExecuteTheSameCommand() {
        let slot = Box<Command<Int, Int, Never>?>(nil)
        let begun = Recorder<Int>()
        let command = Command<Int, Int, Never>(.latest) { input in
            Signal { emitter, subscription in
                begun.append(input)
                if input < 1000 { subscription.onDispose { slot.value?.execute(input + 1) } }
                emitter.complete()
            }
        }
        slot.value = command
        let first = command.execute(0).log()
        #expect(first.events == [.ended(.completed)])
        #expect(begun.values == Array(0...1000))
        #expect(!command.isExecuting.value)
        slot.value = nil
    }

    /// Executions complete on other threads while new ones are requested. Their lifetimes, teardowns included, never
    /// overlap.
    @Test("The lifetimes of executions never overlap", arguments: [CommandStrategy.serial, .queue(limit: 4), .latest])
    func livesNeverOverlap(_ strategy: CommandStrategy) throws {
        let pool = WorkerPool(name: "lives", maximumThreads: 3)
        let (alive, overlaps) = (Box(0), Box(0))
        let command = Command<Int, Int, Never>(strategy) { input in
            Signal { emitter, subscription in
                if alive.increment() > 1 { overlaps.increment() }
                subscription.onDispose {
                    for _ in 0..<input % 50 { _ = alive.value }
                    alive.update { $0 -= 1 }
                }
                pool.execute { emitter.complete() }
            }
        }
        let (completed, others, told) = (Box(0), Box(0), Box(0))
        command.completions.subscribe { told.increment() }
        let rounds = Platform.rounds(1000)
        let threads = (0..<3).map { _ in
            TestThread {
                for number in 0..<rounds {
                    command.execute(number).subscribe(
                        onValue: { _ in },
                        onTermination: { end in
                            if case .completed = end { completed.increment() } else { others.increment() }
                        }
                    )
                }
            }
        }
        for thread in threads { try thread.join() }
        try waitUntil("all ends") { completed.value + others.value == 3 * rounds && !command.isExecuting.value }
        try waitUntil("the last teardown") { alive.value == 0 }
        #expect(overlaps.value == 0)
        try waitUntil("the last notice") { told.value == completed.value }
    }

    /// Removing an execution from the middle of the queue takes constant time. With a linear search this test uses
    /// minutes of CPU time.
    @Test("Cancelling many waiting executions takes linear time")
    func cancellingManyThatWaitTakesTimeInProportion() {
        let count = Platform.rounds(40_000)
        let begin = Platform.threadTime
        let gate = Subject<Int, Never>()
        let begun = Recorder<Int>()
        let command = Command<Int, Int, Never>(.queue(limit: .max)) { input in
            begun.append(input)
            return input == 0 ? gate.signal : .just(input)
        }
        command.execute(0)
        let subscriptions = (1...count).map { number in
            let subscription = SignalSubscription()
            command.apply(number).subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in })
            return subscription
        }
        // The order has no pattern, so that gaps are everywhere. Every hundredth execution stays.
        let leaving = (1...count).filter { !$0.isMultiple(of: 100) }
        for number in leaving.sorted(by: { $0 &* 40_503 % 65_537 < $1 &* 40_503 % 65_537 }) {
            subscriptions[number - 1].dispose()
        }
        gate.complete()
        #expect(begun.values == [0] + (1...count).filter { $0.isMultiple(of: 100) })
        #expect(!command.isExecuting.value)
        #expect(Platform.threadTime - begin < .seconds(60))
    }
}
