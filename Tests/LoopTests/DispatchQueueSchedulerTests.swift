// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine
import Testing

/// The rules of schedulers on a `DispatchQueueScheduler`, with a serial and a concurrent target queue.
@Suite
struct DispatchQueueSchedulerTests {
    enum Target: String, CaseIterable, CustomTestStringConvertible {
        case serial, concurrent

        var testDescription: String { rawValue }

        func make() -> DispatchQueueScheduler {
            switch self {
            case .serial: DispatchQueueScheduler(targeting: DispatchQueue(label: "target"), name: rawValue)
            case .concurrent: DispatchQueueScheduler(targeting: .global(), name: rawValue)
            }
        }
    }

    @Test("S1: each job runs once, in the order of submission", arguments: Target.allCases)
    func order(target: Target) throws {
        let scheduler = target.make()
        let log = Recorder<Int>()
        let done = Latch(10_000)
        for number in 0..<10_000 {
            scheduler.execute {
                log.append(number)
                done.arrive()
            }
        }
        try done.wait()
        #expect(log.values == Array(0..<10_000))
    }

    @Test("S2: a job submitted from inside a job runs later, not inline", arguments: Target.allCases)
    func nested(target: Target) throws {
        let scheduler = target.make()
        let log = Recorder<String>()
        let done = Latch()
        scheduler.execute {
            scheduler.execute {
                log.append("inner")
                done.arrive()
            }
            log.append("outer")
        }
        try done.wait()
        #expect(log.values == ["outer", "inner"])
    }

    @Test("C1: the scheduler is current inside jobs and timers, and not outside", arguments: Target.allCases)
    func current(target: Target) throws {
        let scheduler = target.make()
        let log = Recorder<Bool>()
        let done = Latch(3)
        let note: @Sendable () -> Void = {
            log.append(scheduler.isCurrent && CurrentScheduler.value === scheduler)
            done.arrive()
        }
        scheduler.execute(note)
        _ = scheduler.schedule(note)
        scheduler.schedule(after: .microseconds(10), note)
        #expect(!scheduler.isCurrent)
        try done.wait()
        #expect(log.values == [true, true, true])
    }

    @Test("T12: a job disposed before it runs never runs and is released", arguments: Target.allCases)
    func dispose(target: Target) throws {
        let scheduler = target.make()
        let log = Recorder<String>()
        let gate = DispatchSemaphore(value: 0)
        let done = Latch()
        let released = Latch(2)
        scheduler.execute { gate.wait() }
        do {
            let canary = Canary { released.arrive() }
            let work = scheduler.schedule {
                canary.sing()
                log.append("work")
            }
            work.dispose()
            #expect(work.isDisposed)
        }
        do {
            let canary = Canary { released.arrive() }
            let timer = scheduler.schedule(after: .zero) {
                canary.sing()
                log.append("timer")
            }
            timer.dispose()
            #expect(timer.isDisposed)
        }
        try released.wait("the closures")
        gate.signal()
        scheduler.schedule(after: .milliseconds(2)) { done.arrive() }
        try done.wait()
        #expect(log.values == [])
    }

    @Test("T1, T6, T7: timers are never early, and fire by deadline, then by insertion", arguments: Target.allCases)
    func timerOrder(target: Target) throws {
        let scheduler = target.make()
        let log = Recorder<(Int, Bool)>()
        let done = Latch(300)
        // One job sets all timers, so that none fires before the last is set, however slow that is.
        scheduler.execute {
            let start = scheduler.now + .milliseconds(5)
            for number in 0..<300 {
                let deadline = start + .milliseconds(3 - number % 3)
                _ = scheduler.schedule(at: deadline, options: TimerOptions()) {
                    log.append((number, scheduler.now >= deadline))
                    done.arrive()
                }
            }
        }
        try done.wait()
        let expected = [2, 1, 0].flatMap { rest in (0..<300).filter { $0 % 3 == rest } }
        #expect(log.values.map(\.0) == expected)
        let neverEarly = log.values.allSatisfy { $0.1 }
        #expect(neverEarly)
    }

    @Test("T13: a repeating timer keeps its rate and does not fire after disposal", arguments: Target.allCases)
    func repeating(target: Target) throws {
        let scheduler = target.make()
        let start = scheduler.now
        let count = Box(0)
        let done = Latch()
        let timer = Box<(any Disposable)?>(nil)
        let ready = DispatchSemaphore(value: 0)
        timer.value = scheduler.schedule(every: .milliseconds(2)) {
            ready.wait()
            ready.signal()
            if count.increment() == 10 {
                timer.value?.dispose()
                done.arrive()
            }
        }
        ready.signal()
        try done.wait()
        #expect(scheduler.now - start >= .milliseconds(20))
        let quiet = Latch()
        scheduler.schedule(after: .milliseconds(10)) { quiet.arrive() }
        try quiet.wait()
        #expect(count.value == 10)
        timer.value = nil
    }

    @Test("T8: the scheduler is released after its last timer", arguments: Target.allCases)
    func lifetime(target: Target) throws {
        weak var weakScheduler: DispatchQueueScheduler?
        let done = Latch()
        do {
            let scheduler = target.make()
            weakScheduler = scheduler
            scheduler.schedule(after: .milliseconds(2)) { done.arrive() }
        }
        try done.wait()
        // The queue releases the scheduler after the job that opened the latch.
        let limit = MonotonicClock().now + .seconds(Latch.limit)
        while weakScheduler != nil, MonotonicClock().now < limit { sched_yield() }
        #expect(weakScheduler == nil)
    }
}
