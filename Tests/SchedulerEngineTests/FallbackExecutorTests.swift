// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import SchedulerEngine

@Suite struct FallbackExecutorTests {
    @Test("X7: jobs that are enqueued before the executor begins wait, and then run in order")
    func held() throws {
        let bench = try Bench()
        for number in 1...3 { bench.submit(number) }
        #expect(bench.threads.started.value == 0)
        bench.executor.begin()
        #expect(bench.threads.started.value == 1 && bench.order.count == 0)
        bench.threads.run()
        #expect(bench.order.values == [1, 2, 3])
    }

    @Test("X7: an executor that begins without a job starts a thread for the first job")
    func withoutJob() throws {
        let bench = try Bench()
        bench.executor.begin()
        #expect(bench.threads.started.value == 0)
        for number in 1...2 {
            bench.submit(number)
            #expect(bench.threads.started.value == number)
            bench.threads.run()
        }
        #expect(bench.order.values == [1, 2])
    }

    @Test("X7: jobs that are enqueued after the start of a thread run on it, after the held jobs")
    func during() throws {
        let bench = try Bench()
        bench.submit(1)
        bench.submit(2)
        bench.executor.begin()
        bench.submit(3)
        #expect(bench.threads.started.value == 1)
        bench.threads.run()
        #expect(bench.order.values == [1, 2, 3])
        // No thread is left, so the next job needs one.
        bench.submit(4)
        #expect(bench.threads.started.value == 2)
        bench.threads.run()
        #expect(bench.order.values == [1, 2, 3, 4])
    }
}

/// An executor, and tasks whose jobs it runs.
private final class Bench {
    let threads = HeldThreads()
    let executor: FallbackExecutor
    let order = Recorder<Int>()
    /// The loop as whose work the jobs run.
    private let loop: any LoopScheduler
    private let forwarder: Forwarder

    init() throws {
        loop = try LoopKind.dispatch.make()
        let identity = LoopIdentity(isMain: false)
        identity.attach(loop)
        executor = FallbackExecutor(identity, name: "test", threads: threads)
        forwarder = Forwarder(executor)
    }

    deinit { loop.dispose() }

    /// Starts a task that records the number. The executor gets its jobs.
    func submit(_ number: Int) {
        Task.detached(executorPreference: forwarder) { [order] in order.append(number) }
    }
}

/// Enqueues the jobs of tasks on a fallback executor.
private final class Forwarder: TaskExecutor {
    private let target: FallbackExecutor

    init(_ target: FallbackExecutor) { self.target = target }

    func enqueue(_ job: consuming ExecutorJob) { target.enqueue(UnownedJob(job)) }
}

/// Threads that do not run before the test calls `run`.
private final class HeldThreads: SimulatedThreads {
    /// The number of threads that have been started.
    let started = Box(0)
    private let bodies = Recorder<@Sendable () -> Void>()

    var names: [String] { [] }

    func start(_: String, _ body: @escaping @Sendable () -> Void) {
        started.increment()
        bodies.append(body)
    }

    func wait(nanoseconds _: Int64?, until _: @escaping @Sendable () -> Bool) {}

    func run() {
        let all = bodies.values
        bodies.clear()
        for body in all { body() }
    }
}
