// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import SchedulerConformance
import Testing

@Suite struct SchedulerTests {
    @Test("A trampoline runs nested work afterwards")
    func aTrampolineRunsNestedWorkAfterwards() {
        let scheduler = TrampolineScheduler()
        let log = Log<String>()
        scheduler.execute {
            log.add("begin \(scheduler.isCurrent) \(Schedulers.current === scheduler)")
            scheduler.execute { log.add("nested") }
            scheduler.schedule { log.add("never") }.dispose()
            log.add("end")
        }
        #expect(log.entries == ["begin true true", "end", "nested"])
        #expect(!scheduler.isCurrent)
    }

    @Test("Jobs of a trampoline never overlap")
    func aTrampolineNeverOverlaps() {
        let scheduler = TrampolineScheduler()
        let (isBusy, overlaps, count) = (Box(false), Box(0), Box(0))
        onThreads(4) { _ in
            for _ in 0..<500 {
                scheduler.execute {
                    if isBusy.update({ old in
                        defer { old = true }
                        return old
                    }) {
                        overlaps.value += 1
                    }
                    count.value += 1
                    isBusy.value = false
                }
            }
        }
        #expect(overlaps.value == 0)
        #expect(count.value == 2000)
    }

    @Test("Recursive scheduling uses constant stack")
    func recursionNeedsNoStack() throws {
        let time = TestScheduler()
        for scheduler in [ImmediateScheduler.shared, TrampolineScheduler(), time] as [any Scheduler] {
            let count = Box(0)
            onSmallStack {
                scheduler.scheduleRecursive { again in
                    count.value += 1
                    if count.value < manyLevels { again() }
                }
                try? time.run(limit: 1_000_000)
            }
            #expect(count.value == manyLevels)
        }
    }

    @Test("Each call of again is one run")
    func everyCallOfAgainIsARun() throws {
        let scheduler = TestScheduler()
        let log = Log<String>()
        let later = Box<(@Sendable () -> Void)?>(nil)
        let recursion = scheduler.scheduleRecursive { again in
            log.add("run")
            if log.count == 1 {
                again()
                again()
                scheduler.execute { log.add("other") }
            }
            later.value = again
        }
        try scheduler.run()
        // Each run is appended to the queue.
        #expect(log.entries == ["run", "run", "run", "other"] || log.entries == ["run", "other", "run", "run"])
        later.value?()
        try scheduler.run()
        #expect(log.count == 5)
        later.value?()
        recursion.dispose()
        later.value?()
        try scheduler.run()
        #expect(log.count == 5)
        #expect(recursion.isDisposed)
    }

    @Test("A scheduled disposable is disposed on its scheduler")
    func aScheduledDisposableIsDisposedOnItsScheduler() throws {
        let scheduler = TestScheduler()
        let log = Log<Bool>()
        let disposable = ScheduledDisposable(AnyDisposable { log.add(scheduler.isCurrent) }, on: scheduler)
        disposable.dispose()
        disposable.dispose()
        #expect(disposable.isDisposed)
        #expect(log.entries.isEmpty)
        try scheduler.run()
        #expect(log.entries == [true])
    }
}
