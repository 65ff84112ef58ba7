// SPDX-License-Identifier: MIT
import Foundation
import ReactiveCore
import ReactiveSignals
import ReactiveSimulation
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

/// The laws with threads that send, pause and dispose at every possible moment: two threads send into a subject, and
/// others pause or dispose the subscription of an operator. A simulation decides at each lock which thread goes on.
@Suite(.enabled(if: YieldPoint.isInLocks, "needs the trait Simulation")) struct InterleavingLaws {
    @Test("An operator keeps the laws while threads send, pause and dispose", arguments: OperatorCase.all)
    func laws(_ operation: OperatorCase) throws {
        for interleaving in Self.interleavings {
            try Simulation.explore(seeds: 1...Self.seeds) { world in
                world.interleaving = interleaving
                let program = SendingThreads(operation, in: world)
                program.start()
                let isIdle = try world.runUntilIdle(limit: .seconds(1_000_000))
                world.check(isIdle, "the world did not become idle")
                program.check()
                try world.run(for: .zero)
            }
        }
    }

    @Test("A timeout is never lost", arguments: [true, false])
    func timeouts(isIdle: Bool) throws {
        for interleaving in Self.interleavings {
            try Simulation.explore(seeds: 1...Self.count) { world in
                world.interleaving = interleaving
                var random = world.random
                let interval = SendingThreads.duration(&random)
                let program = SendingThreads(
                    OperatorCase("a timeout") { signal, loop in
                        isIdle
                            ? signal.timeout(idle: interval, raising: .other, on: loop)
                            : signal.timeout(after: interval, raising: .other, on: loop)
                    },
                    in: world
                )
                program.start(completes: false, disposes: false)
                try world.run(for: .seconds(30))
                program.checkTimeout()
                try world.run(for: .zero)
            }
        }
    }

    @Test("Threads may subscribe to a shared signal while others pause their subscriptions to it")
    func sharedPauses() throws {
        for interleaving in Self.interleavings {
            try Simulation.explore(seeds: 1...Self.count) { world in
                world.interleaving = interleaving
                let (subject, count) = (Subject<Int, Never>(), Box(0))
                // The source of the shared signal has inputs, so a pause is passed on from its subscription too.
                let shared = subject.signal.merge(with: Subject<Int, Never>().signal).share()
                let host = world.host("host")
                host.start { loop in
                    for number in 0..<3 {
                        host.startThread("subscriber \(number)") {
                            let subscription = SignalSubscription()
                            let pause = subscription.pause()
                            shared.subscribe(in: subscription, onValue: { _ in count.increment() })
                            pause.dispose()
                            subscription.pause().dispose()
                        }
                    }
                    return loop
                }
                let isIdle = try world.runUntilIdle(limit: .seconds(1_000_000))
                world.check(isIdle, "the world did not become idle")
                subject.send(1)
                world.check(count.value == 3, "\(count.value) of 3 subscribers received the value")
                try world.run(for: .zero)
            }
        }
    }

    static let interleavings: [Interleaving] = [.random(0.05), .random(0.3), .pct(depth: 3, points: 1_000)]
    /// `make interleavings COUNT=` sets the number of seeds.
    static let count = UInt64(ProcessInfo.processInfo.environment["INTERLEAVINGS"] ?? "") ?? 100
    /// There are many operators.
    private static let seeds = 1 + count / 20
}

/// One operator, threads that use it, and what its observer has received.
private final class SendingThreads: Sendable {
    private static let values = 8

    private struct Events {
        var values: [Int] = []
        var terminations: [Termination<TestError>] = []
        var problem: String?
        var senders = 2
    }

    private let operation: OperatorCase
    private let world: World
    private let host: SimulatedHost
    private let events = Box(Events())
    private let isBusy = Box(false)
    private let isDisposed = Box(false)
    private let mayMissValues = Box(false)

    init(_ operation: OperatorCase, in world: World) {
        self.operation = operation
        self.world = world
        host = world.host("host")
    }

    func start(completes: Bool = true, disposes: Bool = true) {
        var random = world.random
        let pauses = (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.duration(&random) }
        // An early pause makes synchronous sources send later, and then the subject's values may be missed.
        let arePausesEarly = Bool.random(using: &random)
        if arePausesEarly { mayMissValues.value = true }
        let willDispose = disposes && Int.random(in: 0..<3, using: &random) == 0
        host.start { [self] loop in
            let subject = Subject<Int, TestError>()
            let subscription = SignalSubscription()
            if arePausesEarly { startPausers(of: subscription, pauses, on: loop) }
            host.startThread("subscriber") { [self] in
                operation.make(subject.signal, loop).subscribe(
                    in: subscription,
                    onValue: { [self] value in receive { events in events.values.append(value) } },
                    onTermination: { [self] end in receive { events in events.terminations.append(end) } }
                )
                // Operators that subscribe on the loop have subscribed after this, and synchronous sources have sent.
                loop.execute { [self] in send(to: subject, on: loop, completes: completes) }
                if !arePausesEarly { startPausers(of: subscription, pauses, on: loop) }
                if willDispose {
                    isDisposed.value = true
                    host.startThread("disposer") { subscription.dispose() }
                }
            }
            return loop
        }
    }

    /// Starts threads that pause the subscription for some time.
    private func startPausers(
        of subscription: SignalSubscription,
        _ durations: [Duration],
        on loop: any LoopScheduler
    ) {
        for (number, duration) in durations.enumerated() {
            host.startThread("pauser \(number)") {
                let pause = subscription.pause()
                loop.schedule(after: duration) { pause.dispose() }
            }
        }
    }

    /// A duration between 1 µs and 4 ms. Short ones are as likely as long ones.
    static func duration(_ random: inout some RandomNumberGenerator) -> Duration {
        .microseconds(Int.random(in: 1...(1 << Int.random(in: 0...12, using: &random)), using: &random))
    }

    private func send(to subject: Subject<Int, TestError>, on loop: SimulatedLoop, completes: Bool) {
        for thread in 0..<2 {
            host.startThread("sender \(thread)") { [self] in
                for number in 0..<Self.values { subject.send(thread * 1_000 + number) }
                let left = events.update { events in
                    events.senders -= 1
                    return events.senders
                }
                if left == 0, completes { subject.complete() }
            }
        }
    }

    /// An event: checks that no other one is being received.
    private func receive(_ record: @Sendable (inout Events) -> Void) {
        if isBusy.value { complain("two events overlap (law 2)") }
        isBusy.value = true
        events.update { events in
            if !events.terminations.isEmpty { events.problem = "an event after the termination (law 1)" }
            record(&events)
        }
        isBusy.value = false
    }

    private func complain(_ problem: String) { events.update { events in events.problem = problem } }

    func check() {
        let events = events.value
        world.check(events.problem == nil, events.problem ?? "")
        if isDisposed.value { return }
        world.check(events.terminations == [.completed], "the terminations are \(events.terminations)")
        for thread in 0..<2 {
            let values = events.values.filter { $0 / 1_000 == thread }.map { $0 % 1_000 }
            if operation.keepsOrder { world.check(values == values.sorted(), "values of a thread arrive as \(values)") }
            if !mayMissValues.value, operation.traits.isDisjoint(with: [.conflates, .drops, .startsLate]) {
                world.check(values.sorted() == Array(0..<Self.values), "of 8 values of a thread, \(values) arrive")
            }
        }
    }

    func checkTimeout() {
        let events = events.value
        world.check(events.problem == nil, events.problem ?? "")
        world.check(events.terminations == [.failed(.other)], "the terminations are \(events.terminations)")
    }
}
