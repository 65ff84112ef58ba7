// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// M8 and M9: the first use of a main loop, and its service between its runs.
enum MainLoopUseRules {
    static let all = [m8, m9]

    static let m8 = Rule(
        "M8",
        "Any thread may be the first to use a main loop, even while the main thread uses it for the first time.",
        on: .mainThread
    ) { check in
        let thread = check.thread {
            let loop = try check.mainLoop()
            loop.execute { loop.stop() }
        }
        let loop = try check.mainLoop()
        check.note("runs, until work of the other thread stops it")
        check.attempt { try loop.run() }
        thread.join()
        check.expect(try check.mainLoop() === loop, "both threads use the same loop")
    }

    static let m9 = Rule(
        "M9",
        "Between a main loop's runs, any other server of the main queue runs all work and timers that other threads submit.",
        needs: [.mainQueueGuest],
        on: .mainThread
    ) { check, loop in
        let (given, done) = (Box(0), Box(0))
        // The first rounds have no timers. From the first timer on, the host watches the loop permanently and needs no
        // wake-up.
        for _ in 0..<check.rounds(150) where check.failure == nil { workOnly(check, loop, given, done) }
        timerAtTheEnd(check, loop, given, done)
        expectAll(check, given, done)
        if check.failure != nil { return }
        try stress(check, loop, given, done)
        expectAll(check, given, done)
    }

    /// Serves the main queue until all submitted work has run.
    private static func expectAll(_ check: Check, _ given: Box<Int>, _ done: Box<Int>) {
        check.note("serves the main queue")
        let limit = Platform.now + check.patience
        while done.value < given.value, Platform.now < limit { MainQueueOwner.serve() }
        check.equal(done.value, given.value, "jobs and timers that ran, of those submitted")
    }

    /// Submits work while a run begins, and after it. The loop must wake the main queue.
    private static func workOnly(_ check: Check, _ loop: any LoopScheduler, _ given: Box<Int>, _ done: Box<Int>) {
        var random = SplitMix64(seed: check.seed &+ UInt64(given.value))
        let (before, length) = (Int.random(in: 0..<100, using: &random), Int.random(in: 0..<200, using: &random))
        // In every second round, the run has work of its own, so that the other thread submits during the run.
        let isBusy = Bool.random(using: &random)
        given.increment(by: isBusy ? 3 : 2)
        // The loop has no work left at the end, so the next work must wake the queue.
        check.attempt { try loop.runOnce(waiting: false) }
        let hasBegun = Box(!isBusy)
        let during = Worker {
            while !hasBegun.value {}
            if isBusy { check.spend(.microseconds(before), on: loop) }
            loop.execute {
                check.spend(.microseconds(length), on: loop)
                done.increment()
            }
        }
        if isBusy {
            loop.execute {
                hasBegun.value = true
                check.spend(.microseconds(length), on: loop)
                done.increment()
            }
        } else {
            check.spend(.microseconds(before), on: loop)
        }
        check.attempt { try loop.runOnce(waiting: false) }
        hasBegun.value = true
        during.join()
        Worker { loop.execute { done.increment() } }.join()
        // If the queue were served now, the host would watch the loop permanently.
        if !MainQueueOwner.isCalled { expectAll(check, given, done) }
    }

    /// Schedules a timer while a run ends. No later work wakes the main queue.
    private static func timerAtTheEnd(_ check: Check, _ loop: any LoopScheduler, _ given: Box<Int>, _ done: Box<Int>) {
        let isEnding = Box(false)
        given.increment()
        let thread = check.thread {
            try check.wait(until: "the last job of a run begins") { isEnding.value }
            // At an earlier moment, the run would still take the timer itself.
            check.spend(.microseconds(100), on: loop)
            loop.schedule(after: .microseconds(10)) { done.increment() }
        }
        loop.execute { isEnding.value = true }
        check.attempt { try loop.runOnce(waiting: false) }
        thread.join()
    }

    /// Several threads submit work and timers during many runs, and work after the last run.
    private static func stress(_ check: Check, _ loop: any LoopScheduler, _ given: Box<Int>, _ done: Box<Int>) throws {
        let threads = BusyThreads(3) { number in
            given.increment()
            if number == 0 {
                loop.schedule(after: .microseconds(10)) { done.increment() }
            } else {
                loop.execute { done.increment() }
            }
            Platform.pause(.microseconds(1))
        }
        for _ in 0..<check.rounds(300) { try loop.runOnce(waiting: false) }
        threads.end()
        check.thread {
            given.increment()
            loop.execute { done.increment() }
        }.join()
    }
}
