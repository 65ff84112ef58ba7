// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import ReactiveSupport
import SchedulerEngine
import Testing

/// Threads that execute, cancel and end a command whose work takes time on a loop.
@Suite(.enabled(if: YieldPoint.isInLocks, "needs the trait Simulation"))
struct CommandInterleavings {
    @Test(
        "Each execution of a command ends once, and no more run than its strategy permits",
        arguments: Strategy.allCases
    )
    func executions(_ strategy: Strategy) throws {
        for interleaving in Interleaving.explored {
            try Simulation.explore(seeds: Interleaving.seeds) { world in
                world.interleaving = interleaving
                let program = CommandProgram(strategy, in: world)
                program.start()
                _ = try world.runUntilIdle(limit: .seconds(100))
                program.check()
                try world.run(for: .zero)
            }
        }
    }
}

enum Strategy: CaseIterable {
    case serial, concurrent, limited, queue, droppingQueue, latest

    var strategy: CommandStrategy {
        switch self {
        case .serial: .serial
        case .concurrent: .concurrent()
        case .limited: .concurrent(limit: 2)
        case .queue: .queue(limit: 3, running: 2)
        case .droppingQueue: .queue(limit: 1, whenFull: .dropOldest)
        case .latest: .latest
        }
    }

    /// The maximum number of executions under way.
    var limit: Int {
        switch self {
        case .concurrent: .max
        case .limited, .queue: 2
        case .serial, .droppingQueue, .latest: 1
        }
    }
}

private final class CommandProgram: Sendable {
    private static let threads = 3
    private static let executions = 4

    private struct Books {
        var running = 0
        var mostRunning = 0
        /// The terminations of each execution.
        var ends: [Int: Int] = [:]
        var cancelled: Set<Int> = []
        /// The values of each execution.
        var values: [Int: [Int]] = [:]
        var states: [Bool] = []
        var hasCompleted = false
    }

    private let strategy: Strategy
    private let world: World
    private let host: SimulatedHost
    private let books = Lock(Books())
    /// For each execution: 0 means that it is cancelled, 1 that other threads run after it.
    private let choices: [Int]
    private let endsEarly: Bool

    init(_ strategy: Strategy, in world: World) {
        self.strategy = strategy
        self.world = world
        host = world.host("host")
        var random = world.random
        let kinds = Bool.random(using: &random) ? 0..<4 : 1..<4
        choices = (0..<Self.threads * Self.executions).map { _ in Int.random(in: kinds, using: &random) }
        endsEarly = Int.random(in: 0..<4, using: &random) == 0
    }

    func start() {
        host.start { [self] loop in
            let command = Command<Int, Int, Never>(strategy.strategy) { [self] input in work(input, on: loop) }
            command.isExecuting.signal.subscribe(
                onValue: { [self] value in books.withLock { $0.states.append(value) } },
                onTermination: { [self] _ in books.withLock { $0.hasCompleted = true } }
            )
            for thread in 0..<Self.threads {
                host.startThread("thread \(thread)") { [self] in
                    for number in 0..<Self.executions {
                        let index = thread * Self.executions + number
                        execute(command, index, cancels: choices[index] == 0)
                        if choices[index] == 1 { try host.yield() }
                    }
                }
            }
            if endsEarly { host.startThread("end") { command.end(.cancel) } }
            return command
        }
    }

    /// Work that takes up to a millisecond, and counts itself.
    private func work(_ input: Int, on loop: SimulatedLoop) -> Signal<Int, Never> {
        Signal { [self] emitter, subscription in
            books.withLock { books in
                books.running += 1
                books.mostRunning = max(books.mostRunning, books.running)
            }
            let isOver = OnceCell(())
            let end: @Sendable () -> Void = { [self] in
                if isOver.take() != nil { books.withLock { $0.running -= 1 } }
            }
            subscription.onDispose(end)
            loop.schedule(after: .microseconds(input * 90 % 1_000)) {
                emitter.receive(input)
                end()
                emitter.receive(termination: .completed)
            }
        }
    }

    private func execute(_ command: Command<Int, Int, Never>, _ index: Int, cancels: Bool) {
        let subscription = SignalSubscription()
        command.apply(index).subscribe(
            in: subscription,
            onValue: { [self] value in books.withLock { $0.values[index, default: []].append(value) } },
            onTermination: { [self] _ in books.withLock { $0.ends[index, default: 0] += 1 } }
        )
        if cancels {
            subscription.dispose()
            books.withLock { books in _ = books.cancelled.insert(index) }
        }
    }

    func check() {
        let books = books.withLock { $0 }
        for index in 0..<Self.threads * Self.executions {
            let ends = books.ends[index] ?? 0
            let isRight = ends == 1 || ends == 0 && books.cancelled.contains(index)
            world.check(isRight, "execution \(index) has ended \(ends) times")
            world.check((books.values[index] ?? []).allSatisfy { $0 == index }, "execution \(index) has other values")
        }
        // A cancellation does not wait for the work's teardown.
        if books.cancelled.isEmpty, strategy != .latest, !endsEarly {
            world.check(books.mostRunning <= strategy.limit, "\(books.mostRunning) executions were under way")
        }
        world.check(books.running == 0, "\(books.running) executions are still under way")
        world.check(books.hasCompleted || books.states.last == false, "isExecuting is \(books.states)")
        for (state, next) in zip(books.states, books.states.dropFirst()) {
            world.check(state != next, "isExecuting has repeated \(state)")
        }
    }
}
