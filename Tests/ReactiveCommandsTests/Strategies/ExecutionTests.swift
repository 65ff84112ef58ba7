// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// Cancellation, reentrancy, stack use and memory.
@Suite struct ExecutionTests {
    private let work = ManualWork()

    @Test("Disposing a result cancels the execution if the call specifies it")
    func lettingGoOfACancelsOrNotAsSaidAtTheCall() {
        let command = work.command(.concurrent())
        let subscriptions = (0..<4).map { _ in SignalSubscription() }
        _ = command.apply(1).log(in: subscriptions[0])
        _ = command.apply(2, whenDisposed: .finish).log(in: subscriptions[1])
        _ = command.execute(3).log(in: subscriptions[2])
        let shared = command.execute(4, whenDisposed: .cancel)
        _ = shared.log(in: subscriptions[3])
        let other = SignalSubscription()
        let rest = shared.log(in: other)
        for subscription in subscriptions { subscription.dispose() }
        #expect(work.disposed == [1])
        other.dispose()
        #expect(work.disposed == [1, 4])
        #expect(rest.events.isEmpty)
        #expect(command.isExecuting.value)
        work[1].complete()
        work[2].complete()
        #expect(!command.isExecuting.value)
    }

    @Test("The end of a command cancels its executions in the order in which they began")
    func endInOrder() {
        let command = work.command(.concurrent())
        for number in 0..<32 { command.execute(number) }
        command.end(.cancel)
        #expect(work.disposed == Array(0..<32))
    }

    @Test("Disposing a waiting execution removes it from the queue")
    func oneThatWaitsLeavesTheQueueWhenItIsLetGoOf() {
        let command = work.command(.queue(limit: 1))
        let enabled = command.isEnabled.signal.log()
        command.execute(1)
        let subscription = SignalSubscription()
        let waiting = command.apply(2).log(in: subscription)
        #expect(command.execute(3).log().events == [.ended(.failed(.rejected(.full)))])
        subscription.dispose()
        #expect(waiting.events.isEmpty)
        #expect(enabled.values == [true, false, true])
        command.execute(4)
        work[0].complete()
        #expect(work.inputs == [1, 4])
    }

    @Test("An observer may execute again when an execution ends")
    func whoHearsTheEndMayExecuteAgain() {
        let command = work.command()
        let again = Box(false)
        command.execute(1).subscribe(
            onValue: { _ in },
            onTermination: { _ in
                #expect(!command.isExecuting.value)
                command.execute(2)
                again.value = true
            }
        )
        work[0].complete()
        #expect(again.value)
        #expect(work.inputs == [1, 2])
        let function = Command<Int, Int, Never>(trying: { $0 })
        let values = function.values.log()
        function.execute(1, into: ClosureObserver { _ in function.execute(5) })
        #expect(values.values == [1, 5])
    }

    @Test("An execution started from inside the work is rejected as busy")
    func executingFromInsideTheWorkIsSeenAsWhatItIs() {
        let inner = Box<[Event<Int, CommandError<Never>>]>([])
        let slot = Box<Command<Int, Int, Never>?>(nil)
        let command = Command<Int, Int, Never>(trying: { input in
            if input == 1 { inner.value = slot.value?.execute(2).log().events ?? [] }
            return input
        })
        slot.value = command
        #expect(command.execute(1).log().values == [1])
        #expect(inner.value == [.ended(.failed(.rejected(.busy)))])
        slot.value = nil
    }

    /// The condition derives from the command's own state: ReactiveSwift's #309, #400, #481.
    @Test("A condition derived from the command's own state does not deadlock")
    func aConditionMadeOfItsOwnStateDoesNotDeadlock() {
        let ready = Property(true)
        let command = work.command(.concurrent(), enabledIf: ready.signal)
        command.isExecuting.signal.map { !$0 }.bind(to: ready)
        let enabled = command.isEnabled.signal.log()
        command.execute(1)
        #expect(!command.isEnabled.value)
        #expect(command.execute(2).log().events == [.ended(.failed(.rejected(.disabled)))])
        work[0].complete()
        #expect(command.isEnabled.value)
        #expect(enabled.values == [true, false, true])
        // The same with the state itself as the condition.
        let loop = Property<ReadOnlyProperty<Bool>>(ReadOnlyProperty(value: true))
        let fed = work.command(enabledIf: loop.signal.flatMap(.latest) { $0.signal })
        loop.value = fed.isExecuting.negate()
        fed.execute(3)
        work[1].complete()
        #expect(fed.isEnabled.value)
    }

    @Test("Many waiting executions that end immediately use constant stack")
    func manyThatWaitAndEndAtOnceNeedNoStack() {
        let count = Platform.rounds(100_000)
        let ended = Box(0)
        let gate = Subject<Int, Never>()
        let command = Command<Int, Int, Never>(.queue(limit: .max)) { input in
            input == 0 ? gate.signal : .just(input)
        }
        for number in 0..<count {
            command.execute(number).subscribe(onValue: { _ in }, onTermination: { _ in ended.increment() })
        }
        #expect(ended.value == 0)
        gate.complete()
        #expect(ended.value == count)
    }

    @Test("With latest, functions never overlap")
    func latestOfFunctionsNeverOverlap() throws {
        let (begun, go) = (Latch(), Latch())
        let running = Box(0)
        let command = Command<Int, Int, Never>(
            .latest,
            trying: { input in
                #expect(running.increment() == 1)
                if input == 1 {
                    begun.arrive()
                    try? go.wait("the newer one")
                }
                running.update { $0 -= 1 }
                return input
            }
        )
        let first = Box<EventLog<Int, CommandError<Never>>?>(nil)
        let thread = TestThread { first.value = command.execute(1).log() }
        try begun.wait("the first")
        let (second, third) = (command.execute(2), command.execute(3))
        #expect(second.log().events == [.ended(.failed(.cancelled))])
        #expect(command.isExecuting.value)
        go.arrive()
        try thread.join()
        #expect(first.value?.events == [.ended(.failed(.cancelled))])
        #expect(third.log().events == [.value(3), .ended(.completed)])
        #expect(!command.isExecuting.value)
    }

    @Test("A paused result pauses the work")
    func aPauseHoldsTheWorkBack() {
        let sent = Box(0)
        let command = Command<Int, Int, Never> { _ in
            Signal<Int, Never>(values: 0..<100).handleEvents(onValue: { _ in sent.increment() })
        }
        let subscription = SignalSubscription()
        let hold = subscription.pause()
        let log = command.apply(1).log(in: subscription)
        #expect(sent.value == 0)
        #expect(command.isExecuting.value)
        hold.dispose()
        #expect(log.values == Array(0..<100))
        #expect(!command.isExecuting.value)
    }

    @Test("Undelivered events pause the work")
    func whatWaitsToBeToldHoldsTheWorkBack() {
        let queue = ManualScheduler()
        let sent = Box(0)
        let command = Command<Int, Int, Never>(delivery: .on(queue)) { _ in
            Signal<Int, Never>(values: 0..<1000).handleEvents(onValue: { _ in sent.increment() })
        }
        let values = command.values.log()
        queue.run()
        let result = command.execute(1).log()
        #expect(sent.value == 64)
        queue.run()
        #expect(values.values == Array(0..<1000))
        // 16 of the 64 values sent before the subscription are replayed.
        #expect(result.values == Array(48..<1000))
        #expect(!command.isExecuting.value)
    }

    @Test("A scheduler that drops its work does not block an execution", arguments: [false, true])
    func aSchedulerThatIsOverHoldsNothingUp(_ hasTurn: Bool) {
        let queue = ManualScheduler()
        let delivery: CommandDelivery = hasTurn ? .onNextTurn(of: queue) : .on(queue)
        weak var witness: Witness?
        let command = Command<Witness, Witness, Never>(delivery: delivery) { witness in
            Signal(values: 0..<1000).map { _ in witness }
        }
        let values = Box(0)
        command.values.subscribe(onValue: { _ in values.increment() })
        queue.run()
        do {
            let strong = Witness()
            witness = strong
            command.execute(strong)
        }
        #expect(command.isExecuting.value)
        // Each time the execution is paused again, until that work is dropped too.
        var rounds = 0
        while command.isExecuting.value, rounds < 1000 {
            queue.drop()
            rounds += 1
        }
        queue.drop()
        #expect(!command.isExecuting.value)
        #expect(witness == nil)
        #expect(values.value == 0)
        withExtendedLifetime(command) {}
    }

    @Test("Nothing is retained after an execution ends")
    func nothingIsKeptAfterTheEnd() {
        weak var input: Witness?
        weak var output: Witness?
        let command = Command<Witness, Witness, Never>(.queue(limit: 3)) { .just($0) }
        let observer = command.values.subscribe()
        do {
            let (one, two) = (Witness(), Witness())
            (input, output) = (one, two)
            command.execute(one)
            command.execute(two).subscribe(onValue: { _ in }, onTermination: noFailure())
        }
        #expect(input == nil)
        #expect(output == nil)
        observer.dispose()
    }

    @Test("A command is released with its work")
    func aCommandIsFreedWithItsWork() {
        weak var witness: Witness?
        weak var command: Command<Int, Int, TestError>?
        do {
            let strong = Witness()
            let made = Command<Int, Int, TestError>(.latest, enabledIf: .never) { input in
                strong.touch()
                return .never
            }
            made.isExecuting.signal.subscribe()
            made.executions.subscribe()
            made.execute(1)
            made.execute(2)
            (witness, command) = (strong, made)
            made.end(.cancel)
        }
        #expect(command == nil)
        #expect(witness == nil)
    }

    @Test("Asynchronous work is a task that cancellation cancels")
    func asyncWorkIsATaskThatIsCancelled() async throws {
        let (begun, cancelled) = (Latch(), Latch())
        let command = Command<Int, Int, TestError>(
            .latest,
            async: { input throws(TestError) in
                if input == 1 {
                    begun.arrive()
                    await withTaskCancellationHandler {
                        while !Task.isCancelled { await Task.yield() }
                    } onCancel: {
                        cancelled.arrive()
                    }
                }
                if input == 3 { throw .broken }
                return input * 2
            }
        )
        let first = command.execute(1)
        try await eventually("the task") { begun.isOpen }
        let second = try await command.apply(2).first()
        #expect(second == 4)
        try await eventually("the cancellation") { cancelled.isOpen }
        #expect(first.log().events == [.ended(.failed(.cancelled))])
        await #expect(throws: CommandError<TestError>.failed(.broken)) { try await command.apply(3).first() }
    }
}

/// An object whose release a test observes with a weak reference.
final class Witness: Sendable {
    func touch() {}
}

/// Observes only the termination.
struct ClosureObserver: Observer {
    private let onTermination: @Sendable (Termination<CommandError<Never>>) -> Void

    init(_ onTermination: @escaping @Sendable (Termination<CommandError<Never>>) -> Void) {
        self.onTermination = onTermination
    }

    func receive(_ value: Int) {}
    func receive(termination: Termination<CommandError<Never>>) { onTermination(termination) }
}
