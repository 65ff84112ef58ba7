import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// What an execution ends as while its teardowns run on another thread, and when the next one begins.
@Suite struct TeardownTests {
    /// Work whose teardown takes as long as the test says. The input 1 waits for its emitter; others complete at once.
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

    @Test func aWorkThatHasCompletedIsNotCancelledDuringItsTeardown() throws {
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

    /// The teardown of an input of the work counts too; there the work itself has not completed.
    @Test func theNextWorkWaitsForTeardownsOfEveryDepth() throws {
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

    @Test(arguments: [CommandStrategy.serial, .queue(limit: 1), .latest])
    func aPlaceIsFreeWhenTheTeardownHasReturned(_ strategy: CommandStrategy) throws {
        let work = SlowWork()
        let command = Command<Int, Int, Never>(strategy) { work.signal($0) }
        let subscription = SignalSubscription()
        command.apply(1).subscribe(in: subscription)
        let disposing = TestThread { subscription.dispose() }
        try work.tearing.wait("the teardown")
        let second = command.execute(2).log()
        #expect(work.begun.values == [1])
        work.mayReturn.arrive()
        try disposing.join()
        #expect(!command.isExecuting.value)
        #expect(second.end == (strategy == .serial ? .failed(.rejected(.busy)) : .completed))
    }

    /// The newer execution is asked for by the teardown itself: nothing waits for itself.
    @Test func aTeardownMayExecuteTheSameCommand() {
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

    /// Works that complete on other threads while others are asked for: their whole lives, teardowns included, never overlap.
    @Test(arguments: [CommandStrategy.serial, .queue(limit: 4), .latest])
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
        let rounds = Machine.rounds(1000)
        let threads = (0..<3).map { _ in
            TestThread {
                for number in 0..<rounds {
                    command.execute(number).subscribe(onTermination: { end in
                        if case .completed = end { completed.increment() } else { others.increment() }
                    })
                }
            }
        }
        for thread in threads { try thread.join() }
        try waitUntil("all ends") { completed.value + others.value == 3 * rounds && !command.isExecuting.value }
        try waitUntil("the last teardown") { alive.value == 0 }
        #expect(overlaps.value == 0)
        try waitUntil("the last notice") { told.value == completed.value }
    }

    /// Taking one out of the middle takes constant time: with a search this takes minutes.
    @Test(.timeLimit(.minutes(1)))
    func cancellingManyThatWaitTakesTimeInProportion() {
        let count = 40_000
        let gate = Subject<Int, Never>()
        let begun = Recorder<Int>()
        let command = Command<Int, Int, Never>(.queue(limit: .max)) { input in
            begun.append(input)
            return input == 0 ? gate.signal : .just(input)
        }
        command.execute(0)
        let subscriptions = (1...count).map { number in
            let subscription = SignalSubscription()
            command.apply(number).subscribe(in: subscription)
            return subscription
        }
        // In an order without a pattern, so that gaps are everywhere; every hundredth stays.
        let leaving = (1...count).filter { !$0.isMultiple(of: 100) }
        for number in leaving.sorted(by: { $0 &* 40_503 % 65_537 < $1 &* 40_503 % 65_537 }) {
            subscriptions[number - 1].dispose()
        }
        gate.complete()
        #expect(begun.values == [0] + (1...count).filter { $0.isMultiple(of: 100) })
        #expect(!command.isExecuting.value)
    }
}
