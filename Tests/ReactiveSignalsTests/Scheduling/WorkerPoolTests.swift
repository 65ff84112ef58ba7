// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSignals

@Suite struct WorkerPoolTests {
    /// Occupies all threads of a pool until it is opened.
    private final class Barrier: Sendable {
        private let gate = Latch()

        init(_ pool: WorkerPool) throws {
            let begun = Latch(pool.maximumThreads)
            for _ in 0..<pool.maximumThreads {
                pool.execute { [gate] in
                    begun.arrive()
                    try? gate.wait()
                }
            }
            try begun.wait("the threads of the pool")
        }

        func open() { gate.arrive() }
    }

    @Test("All work runs, started in order, on at most the given number of threads", arguments: [1, 2, 8])
    func order(_ limit: Int) throws {
        let pool = WorkerPool(maximumThreads: limit)
        let (begun, running, most) = (Log<Int>(), Box(0), Box(0))
        let done = Latch(500)
        for number in 0..<500 {
            pool.execute {
                let now = running.update { running in
                    running += 1
                    begun.add(number)
                    return running
                }
                most.update { $0 = max($0, now) }
                #expect(pool.isCurrent && Schedulers.current === pool)
                running.update { $0 -= 1 }
                done.arrive()
            }
        }
        #expect(!pool.isCurrent)
        try done.wait("the work of the pool")
        #expect(most.value <= limit && pool.queue.threadCount <= limit)
        if limit == 1 { #expect(begun.entries == Array(0..<500)) }
        #expect(begun.entries.sorted() == Array(0..<500))
    }

    @Test("While all threads are busy, work waits in FIFO order")
    func fifo() throws {
        let pool = WorkerPool(maximumThreads: 1)
        let barrier = try Barrier(pool)
        let (log, done) = (Log<Int>(), Latch(20))
        for number in 0..<20 {
            pool.execute {
                log.add(number)
                done.arrive()
            }
        }
        #expect(log.count == 0)
        barrier.open()
        try done.wait("the work of the pool")
        #expect(log.entries == Array(0..<20))
    }

    @Test("Work disposed before it begins is released immediately and never runs")
    func disposed() throws {
        let pool = WorkerPool(maximumThreads: 1)
        let barrier = try Barrier(pool)
        let (log, done) = (Log<Int>(), Latch())
        weak var witness: Witness?
        let handles = (0..<1000).map { number -> any Disposable in
            let own = Witness()
            witness = own
            return pool.schedule {
                own.touch()
                log.add(number)
            }
        }
        for (number, handle) in handles.enumerated() where number != 500 {
            handle.dispose()
            handle.dispose()
            #expect(handle.isDisposed)
        }
        #expect(witness == nil && !handles[500].isDisposed)
        pool.execute { done.arrive() }
        barrier.open()
        try done.wait("the work of the pool")
        #expect(log.entries == [500] && handles[500].isDisposed)
    }

    @Test("Disposing a pool releases waiting work, drops later work and ends its threads")
    func poolDisposed() throws {
        let pool = WorkerPool(maximumThreads: 2)
        let barrier = try Barrier(pool)
        let log = Log<Int>()
        weak var witness: Witness?
        let handle = {
            let own = Witness()
            witness = own
            return pool.schedule {
                own.touch()
                log.add(1)
            }
        }()
        pool.dispose()
        pool.dispose()
        #expect(witness == nil && handle.isDisposed && pool.isDisposed)
        pool.execute { log.add(2) }
        #expect(pool.schedule { log.add(3) }.isDisposed)
        barrier.open()
        try waitUntil("end of the threads") { pool.queue.threadCount == 0 }
        #expect(log.count == 0)
    }

    @Test("A pool released with waiting work runs all of it, then ends on its own thread")
    func letGo() throws {
        let done = Latch(100)
        weak var witness: WorkerPool?
        let queue = {
            let pool = WorkerPool(maximumThreads: 2)
            witness = pool
            for _ in 0..<100 { pool.execute { done.arrive() } }
            return pool.queue
        }()
        try done.wait("the work of the pool")
        try waitUntil("end of the threads") { queue.threadCount == 0 }
        #expect(witness == nil && queue.isOver)
    }

    @Test("An idle thread ends after its idle time, and a new one starts on demand")
    func idle() throws {
        let pool = WorkerPool(maximumThreads: 4, idleTime: .milliseconds(1))
        for _ in 0..<50 {
            let done = Latch()
            pool.execute { done.arrive() }
            try done.wait("the work of the pool")
            try waitUntil("end of the threads") { pool.queue.threadCount == 0 }
        }
    }

    @Test("Threads may submit and dispose work while pool threads start and end")
    func contended() throws {
        let pool = WorkerPool(maximumThreads: 3, idleTime: .zero)
        let (ran, dropped) = (Box(0), Box(0))
        onThreads(8) { _ in
            for number in 0..<500 {
                let handle = pool.schedule { ran.update { $0 += 1 } }
                if number % 3 == 0 {
                    let before = handle.isDisposed
                    handle.dispose()
                    if !before { dropped.update { $0 += 1 } }
                }
            }
        }
        let done = Latch()
        pool.execute { done.arrive() }
        try done.wait("the work of the pool")
        try waitUntil("end of the threads") { pool.queue.threadCount == 0 }
        #expect(ran.value <= 4000 && ran.value >= 4000 - dropped.value)
    }

    @Test("Pool threads block process signals, but not faults")
    func signals() throws {
        let (blocked, faults, done) = (Box(0), Box(0), Latch())
        let pool = WorkerPool(maximumThreads: 1)
        pool.execute {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            blocked.value = [SIGTERM, SIGINT, SIGCHLD, SIGUSR1].count { sigismember(&mask, $0) == 1 }
            faults.value = [SIGSEGV, SIGABRT].count { sigismember(&mask, $0) == 1 }
            done.arrive()
        }
        try done.wait("the work of the pool")
        #expect(blocked.value == 4 && faults.value == 0)
    }

    @Test("perform sends its result and completes, or fails, once for each subscription")
    func perform() throws {
        let pool = WorkerPool(maximumThreads: 2)
        let calls = Box(0)
        let good = Signal<Int, TestError>.perform(on: pool) {
            calls.update {
                $0 += 1; return $0
            }
        }
        let bad = Signal<Int, TestError>.perform(on: pool) { () throws(TestError) in throw .broken }
        #expect(calls.value == 0)
        let recorders = [good.record(), good.record(), bad.record()]
        try waitUntil("three terminations") { recorders.allSatisfy { $0.end != nil } }
        #expect(recorders[0].values + recorders[1].values == [1, 2] || recorders[1].values == [1])
        #expect(recorders[0].end == .completed && recorders[2].events == [.ended(.failed(.broken))])
    }

    @Test("perform does not run if disposed before it begins, and drops its result if disposed later")
    func performDisposed() throws {
        let pool = WorkerPool(maximumThreads: 1)
        let barrier = try Barrier(pool)
        let (calls, gate, begun) = (Box(0), Latch(), Latch())
        let signal = Signal<Int, Never>.perform(on: pool) {
            calls.update { $0 += 1 }
            begun.arrive()
            try? gate.wait()
            return 1
        }
        let first = SignalSubscription()
        let recorder = signal.record(in: first)
        first.dispose()
        let second = SignalSubscription()
        let running = signal.record(in: second)
        barrier.open()
        try begun.wait("the call")
        second.dispose()
        gate.arrive()
        let done = Latch()
        pool.execute { done.arrive() }
        try done.wait("the work of the pool")
        #expect(calls.value == 1 && recorder.events.isEmpty && running.events.isEmpty)
    }
}
