// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import Testing

@Suite struct TestSchedulerTests {
    private let scheduler = TestScheduler()
    private let log = Log<String>()

    @Test("Timers run by deadline, then in the order in which they were set")
    func deadlinesComeInOrderAndEqualOnesAsTheyWereSet() throws {
        scheduler.schedule(after: .seconds(2)) { [log] in log.add("2") }
        scheduler.schedule(after: .seconds(1)) { [log] in log.add("1 a") }
        scheduler.schedule(after: .seconds(1)) { [log] in log.add("1 b") }
        scheduler.execute { [log] in log.add("0 a") }
        scheduler.schedule(after: .zero) { [log] in log.add("0 b") }
        #expect(log.entries.isEmpty)
        try scheduler.advance(by: .seconds(1))
        #expect(log.entries == ["0 a", "0 b", "1 a", "1 b"])
        #expect(scheduler.now == LoopInstant(nanoseconds: 1_000_000_000))
        try scheduler.run()
        #expect(log.entries.last == "2")
        #expect(scheduler.now == LoopInstant(nanoseconds: 2_000_000_000))
    }

    @Test("Work scheduled while time advances runs if it is due by the target")
    func whatIsSetMeanwhileRunsIfItIsDueByTheTarget() throws {
        scheduler.schedule(after: .seconds(1)) { [scheduler, log] in
            log.add("first at \(scheduler.now)")
            scheduler.schedule(after: .seconds(1)) { log.add("second at \(scheduler.now)") }
            scheduler.schedule(after: .seconds(5)) { log.add("late") }
            scheduler.execute { log.add("nested") }
        }
        try scheduler.advance(by: .seconds(2))
        #expect(log.entries == ["first at 1000000000ns", "nested", "second at 2000000000ns"])
        #expect(!scheduler.isIdle)
    }

    @Test("A run whose last item reaches the limit succeeds if only work for distantFuture is left")
    func limitWithDistantFuture() throws {
        _ = scheduler.schedule(at: .distantFuture, options: TimerOptions()) { [log] in log.add("never") }
        scheduler.execute { [log] in log.add("one") }
        try scheduler.run(limit: 1)
        #expect(log.entries == ["one"])
        scheduler.execute { [log] in log.add("two") }
        scheduler.execute { [log] in log.add("three") }
        #expect(throws: TestSchedulerError.self) { try scheduler.run(limit: 1) }
    }

    @Test("Disposed work is released and does not count as pending")
    func disposedWorkIsForgottenAndDoesNotCount() throws {
        weak var witness: Witness?
        let work: any Disposable
        do {
            let strong = Witness()
            witness = strong
            work = scheduler.schedule(after: .seconds(1)) { [log] in
                strong.touch()
                log.add("never")
            }
        }
        work.dispose()
        work.dispose()
        #expect(witness == nil)
        #expect(scheduler.isIdle)
        try scheduler.run()
        #expect(log.entries.isEmpty)
        #expect(scheduler.now == LoopInstant(nanoseconds: 0))
    }

    @Test("A repeating timer keeps its grid and stops when disposed")
    func repeatingTimersKeepTheirGridAndStopWhenDisposed() throws {
        let times = Log<Int64>()
        let timer = Box<(any Disposable)?>(nil)
        timer.value = scheduler.schedule(every: .seconds(2)) { [scheduler] in
            times.add(scheduler.now.nanoseconds / 1_000_000_000)
            if times.count == 3 { timer.value?.dispose() }
        }
        try scheduler.advance(by: .seconds(20))
        #expect(times.entries == [2, 4, 6])
        #expect(scheduler.isIdle)
    }

    @Test("One firing replaces all missed ones")
    func missedFiringsAreMadeUpByOne() throws {
        try scheduler.advance(by: .seconds(10))
        let times = Log<Int64>()
        _ = scheduler.schedule(
            at: LoopInstant(nanoseconds: 500_000_000),
            repeating: .fixedRate(.seconds(1)),
            options: TimerOptions()
        ) { [scheduler] in times.add(scheduler.now.nanoseconds / 1_000_000) }
        try scheduler.advance(by: .seconds(2))
        #expect(times.entries == [10_000, 10_000, 10_500, 11_500])
    }

    @Test("Endless work is an error")
    func workThatNeverEndsIsAnError() throws {
        @Sendable func again() { scheduler.execute { again() } }
        again()
        let error = #expect(throws: TestSchedulerError.self) { try scheduler.advance(by: .seconds(1), limit: 50) }
        #expect(error?.limit == 50)
        #expect(error?.description.contains("never lets time pass") == true)
        let other = TestScheduler()
        _ = other.schedule(every: .seconds(1)) {}
        let endless = #expect(throws: TestSchedulerError.self) { try other.run(limit: 10) }
        #expect(endless?.description.contains("a repeating timer never ends") == true)
        // Exactly the allowed number of jobs is no error.
        let third = TestScheduler()
        for _ in 0..<10 { third.execute {} }
        try third.run(limit: 10)
    }

    @Test("The scheduler is current while it runs work")
    func itIsCurrentWhileItRunsWork() throws {
        #expect(Schedulers.current == nil)
        scheduler.execute { [scheduler, log] in
            log.add("\(scheduler.isCurrent) \(Schedulers.current === scheduler)")
        }
        let other = TestScheduler()
        scheduler.execute { [scheduler, log] in
            other.execute { log.add("\(scheduler.isCurrent) \(other.isCurrent)") }
            try? other.run()
            log.add("\(scheduler.isCurrent)")
        }
        try scheduler.run()
        #expect(log.entries == ["true true", "false true", "true"])
        #expect(!scheduler.isCurrent)
    }

    @Test("A timer for distantFuture never fires")
    func aTimerThatNeverComesDoesNotRun() throws {
        _ = scheduler.schedule(at: .distantFuture, options: TimerOptions()) { [log] in log.add("no") }
        try scheduler.run()
        #expect(log.entries.isEmpty)
        #expect(scheduler.now == LoopInstant(nanoseconds: 0))
    }

    @Test("Tasks on the scheduler run when the test advances it")
    func tasksRunWhenTheTestAdvances() async throws {
        let subject = Subject<Int, Never>()
        let task = Task(executorPreference: scheduler) { [log, scheduler] in
            for await value in subject.signal.values() { log.add("\(value) \(scheduler.isCurrent)") }
            log.add("end")
        }
        try scheduler.run()
        subject.send(1)
        #expect(log.entries.isEmpty)
        try scheduler.run()
        #expect(log.entries == ["1 true"])
        subject.complete()
        try scheduler.run()
        #expect(log.entries == ["1 true", "end"])
        await task.value
    }

    @Test("step() runs one job")
    func stepRunsOnePiece() {
        for number in 1...2 { scheduler.schedule(after: .seconds(number)) { [log] in log.add("\(number)") } }
        #expect(scheduler.step())
        #expect(log.entries == ["1"])
        #expect(scheduler.step())
        #expect(!scheduler.step())
    }

    @Test("A past deadline is due now, after the work that is already queued")
    func aDeadlineThatHasPassedIsDueNowBehindWhatIsThereForNow() throws {
        scheduler.execute { [log] in log.add("work") }
        _ = scheduler.schedule(after: .seconds(-5)) { [log] in log.add("late") }
        _ = scheduler.schedule(after: .zero) { [log] in log.add("zero") }
        try scheduler.advance(by: .zero)
        #expect(log.entries == ["work", "late", "zero"])
    }

    @Test("Releasing the scheduler disposes its pending work")
    func whatWaitsIsOverWithTheScheduler() {
        var handles: [any Disposable] = []
        weak var held: Witness?
        do {
            let (scheduler, witness) = (TestScheduler(), Witness())
            held = witness
            handles = [
                scheduler.schedule(after: .seconds(1)) { witness.touch() }, scheduler.schedule { witness.touch() },
            ]
            #expect(handles.allSatisfy { !$0.isDisposed })
        }
        #expect(handles.allSatisfy { $0.isDisposed })
        #expect(held == nil)
    }

    @Test("Disposing a recorder's subscription releases the scheduler, although events are pending")
    func aDisposedRecorderReleasesTheScheduler() throws {
        weak var held: TestScheduler?
        do {
            let scheduler = TestScheduler()
            held = scheduler
            let recorders = [
                scheduler.record(scheduler.cold("-a-b|").signal.delay(.seconds(3), on: scheduler)),
                scheduler.record(scheduler.hot("-a-b|").signal.delay(.seconds(3), on: scheduler)),
            ]
            try scheduler.advance(by: .seconds(2))
            for recorder in recorders { recorder.subscription.dispose() }
        }
        #expect(held == nil)
    }
}
