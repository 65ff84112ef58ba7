// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// `CommandDelivery.onNextTurn(of:)` with the main actor, whose scheduler runs work immediately on the main actor.
@MainActor
@Suite struct MainActorDeliveryTests {
    private let ended: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    private let command = Command<Int, Int, Never>(
        delivery: .onNextTurn(of: MainActorScheduler.shared),
        trying: { $0 }
    )

    init() { (ended, end) = AsyncStream<Void>.makeStream() }

    @Test("On the main actor, onNextTurn notifies the observers after the call has returned")
    func laterJob() async {
        let values = Recorder<Int>()
        let end = end
        let subscription = SignalSubscription()
        command.values.subscribe(
            in: subscription,
            onValue: { value in
                values.append(value)
                end.finish()
            }
        )
        command.execute(1)
        #expect(values.values == [])
        for await _ in ended {}
        #expect(values.values == [1])
        subscription.dispose()
        withExtendedLifetime(command) {}
    }

    /// The first notification submits the other work. The main actor runs its jobs in the order of submission.
    @Test("Other work of the main actor runs while an observer executes the command again and again")
    func again() async throws {
        let count = 100
        let (last, whenOtherRan) = (Box(0), Box(0))
        let other = Box<Task<Void, Never>?>(nil)
        let (command, end) = (command, end)
        let subscription = SignalSubscription()
        command.values.subscribe(
            in: subscription,
            onValue: { value in
                last.value = value
                if value == 1 { other.value = Task { @MainActor in whenOtherRan.value = last.value } }
                if value < count { command.execute(value + 1) } else { end.finish() }
            }
        )
        command.execute(1)
        for await _ in ended {}
        let task = try #require(other.value)
        await task.value
        subscription.dispose()
        #expect(last.value == count)
        #expect(whenOtherRan.value >= 1)
        #expect(whenOtherRan.value < count)
    }
}
