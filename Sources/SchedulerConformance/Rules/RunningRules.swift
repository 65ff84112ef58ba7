// SPDX-License-Identifier: MIT
import ReactiveCore

/// R1–R10: runs.
enum RunningRules {
    static let all = [r1, r2, r3, r4, r5, r6, r7, r8, r9, r10]

    static let r1 = Rule(
        "R1",
        "`runUntilIdle` of an empty loop returns at once; `run` continues until `stop`, even if there is nothing to do.",
        needs: [.ownRun]
    ) { check, loop in
        try check.step("runUntilIdle of an empty loop", loop.runUntilIdle)
        let stopped = Box(false)
        let thread = check.thread {
            Platform.pause(.milliseconds(5))
            stopped.value = true
            loop.stop()
        }
        try check.step("run, until another thread stops it", loop.run)
        check.expect(stopped.value, "run returns after the stop", seen: "it returned before")
        thread.join()
    }

    static let r2 = Rule(
        "R2",
        "`stop` ends the run after the current callback; the remaining work is kept, in order, for the next run.",
        needs: [.ownRun]
    ) { check, loop in
        let trace = Recorder<Int>()
        for number in 0..<4 {
            loop.execute {
                trace.append(number)
                if number == 1 {
                    loop.stop()
                    loop.execute { trace.append(9) }
                }
            }
        }
        try loop.run()
        check.equal(trace.values, [0, 1], "jobs that ran until the stop")
        try loop.runUntilIdle()
        check.equal(trace.values, [0, 1, 2, 3, 9], "jobs that ran in both runs")
    }

    static let r3 = Rule(
        "R3",
        "`stop` during a turn prevents that run from waiting, whichever callback calls it.",
        needs: [.ownRun]
    ) { check, loop in
        check.note("run, stopped by work")
        loop.execute { loop.stop() }
        try loop.run()
        check.note("run, stopped by a timer")
        loop.schedule(after: .zero) { loop.stop() }
        try loop.run()
        guard check.has(.descriptors) else { return }
        let pair = check.pair()
        check.note("run, stopped by a watch")
        check.disposeAtEnd(try loop.watch(pair.near, for: .write) { _ in loop.stop() })
        try loop.run()
    }

    static let r4 = Rule(
        "R4",
        "`stop` before a run, of any kind, makes that run one turn that does not wait; later runs are not affected.",
        needs: [.ownRun]
    ) { check, loop in
        let trace = Recorder<String>()
        let modes: [() throws -> Void] = [
            { try loop.run() }, { try loop.runUntilIdle() }, { try loop.runOnce(waiting: true) },
        ]
        for (number, run) in modes.enumerated() {
            loop.stop()
            loop.stop()
            loop.execute { trace.append("work") }
            loop.execute { loop.execute { trace.append("later") } }
            loop.schedule(after: .zero) { trace.append("timer") }
            check.note("run \(number) of three, after a stop")
            try run()
            check.equal(Array(trace.values.suffix(2)), ["work", "timer"], "callbacks of the one turn")
            check.equal(trace.count, 3 * number + 2, "callbacks so far")
            try loop.runUntilIdle()
            check.equal(trace.values.last, "later", "the last callback of the next run")
        }
        loop.stop()
        try check.step("run of a loop that has nothing to do, after a stop", loop.run)
        loop.stop()
        try loop.runOnce(waiting: false)
        // The earlier `stop` has no effect on this run, so the run waits.
        let start = loop.now
        loop.schedule(after: .milliseconds(3)) { loop.stop() }
        try loop.run()
        check.expect(loop.now - start, "the next run lasts until its own stop, after 3 ms") { $0 >= .milliseconds(3) }
    }

    static let r5 = Rule(
        "R5",
        "`stop` from another thread wakes a loop that waits, and ends its run.",
        needs: [.ownRun]
    ) { check, loop in
        for round in 0..<200 {
            let thread = check.thread(duringRunOf: loop) {
                Platform.pause(.microseconds(round % 40))
                loop.stop()
            }
            try check.step("run \(round), until another thread stops it", loop.run)
            thread.join()
        }
    }

    static let r6 = Rule(
        "R6",
        "A loop runs, stops and runs again, a hundred times, with nothing lost.",
        needs: [.ownRun]
    ) { check, loop in
        let ticks = Box(0)
        let timer = loop.schedule(every: .microseconds(100)) {
            ticks.increment()
            loop.stop()
        }
        for round in 1...100 {
            try loop.run()
            check.equal(ticks.value, round, "firings after run \(round), if each firing stops its run")
        }
        timer.dispose()
    }

    static let r7 = Rule(
        "R7",
        "A loop that runs, or owns a thread, rejects another run (`alreadyRunning`), and continues to work.",
        needs: [.ownRun]
    ) { check, loop in
        let after = Box(false)
        @Sendable func refused(_ what: String, _ body: () throws -> Void) {
            check.equal(failure(body), .alreadyRunning, "the error of \(what)")
        }
        loop.execute {
            refused("run from inside") { try loop.run() }
            refused("runUntilIdle from inside") { try loop.runUntilIdle() }
            refused("runOnce from inside") { try loop.runOnce(waiting: false) }
            check.thread {
                refused("run from another thread") { try loop.run() }
                if check.has(.descriptors) {
                    let pair = check.pair()
                    let watching = failure { _ = try loop.watch(pair.near, for: .read) { _ in } }
                    check.equal(watching, .wrongThread, "the error of a watch from another thread")
                }
                if check.has(.processSignals) {
                    let listening = failure { _ = try loop.onSignal(.user1) {} }
                    check.equal(listening, .wrongThread, "the error of a signal handler from another thread")
                }
            }.join()
            loop.execute { after.value = true }
        }
        try loop.runUntilIdle()
        check.expect(after.value, "work submitted during the run still runs", seen: "it did not")
        guard check.has(.ownThread) else { return }
        let owned = try check.ownedLoop()
        refused("run of a loop that owns its thread") { try owned.run() }
        owned.stop()
        try check.sync(owned)
    }

    static let r8 = Rule(
        "R8",
        "`runOnce(waiting: false)` never waits; `runOnce(waiting: true)` waits until one callback has run.",
        needs: [.ownRun]
    ) { check, loop in
        if check.has(.realTime) { check.disposeAtEnd(loop.schedule(after: .seconds(3600)) {}) }
        try check.step("runOnce(waiting: false) with nothing to do") { try loop.runOnce(waiting: false) }
        let ran = Box(0)
        loop.execute { ran.increment() }
        try loop.runOnce(waiting: true)
        check.equal(ran.value, 1, "callbacks after one turn")
        loop.schedule(after: .milliseconds(2)) { ran.increment() }
        try check.step("runOnce(waiting: true) for a timer of 2 ms") { try loop.runOnce(waiting: true) }
        check.equal(ran.value, 2, "callbacks after the timer")
        // The poller receives this deadline, because there is no other work.
        _ = loop.schedule(at: .distantPast, options: TimerOptions()) { ran.increment() }
        try check.step("runOnce(waiting: true) for a timer of the distant past") { try loop.runOnce(waiting: true) }
        check.equal(ran.value, 3, "callbacks after the timer of the distant past")
        for round in 0..<100 {
            let thread = check.thread { loop.execute { ran.increment() } }
            try check.step("runOnce(waiting: true) for work of another thread, round \(round)") {
                try loop.runOnce(waiting: true)
            }
            check.equal(ran.value, 4 + round, "callbacks after round \(round)")
            thread.join()
        }
    }

    static let r9 = Rule(
        "R9",
        "`stop` in a batch prevents the calls of the remaining timers and descriptors of that batch.",
        needs: [.ownRun]
    ) { check, loop in
        let trace = Recorder<Int>()
        let deadline = loop.now
        for number in 0..<3 {
            _ = loop.schedule(at: deadline, options: TimerOptions()) {
                trace.append(number)
                loop.stop()
            }
        }
        for count in 1...3 {
            try loop.run()
            check.equal(trace.values, Array(0..<count), "timers that fired after \(count) runs")
        }
        guard check.has(.descriptors) else { return }
        let pairs = [check.pair(), check.pair()]
        for pair in pairs {
            let watch = try loop.watch(pair.near, for: .write) { _ in
                trace.append(10)
                loop.stop()
            }
            check.disposeAtEnd(watch)
        }
        try loop.run()
        check.equal(trace.values, [0, 1, 2, 10], "callbacks after a run in which two descriptors were ready")
    }

    static let r10 = Rule(
        "R10",
        "`runUntilIdle` returns when no work, timer or watch keeps the loop alive any more, and not before.",
        needs: [.ownRun]
    ) { check, loop, pair in
        let trace = Recorder<String>()
        let watch = Box<(any DescriptorWatch)?>(nil)
        watch.value = try loop.watch(pair.near, for: .read) { _ in
            trace.append("ready")
            watch.value?.dispose()
            loop.execute { loop.execute { trace.append("work") } }
        }
        loop.schedule(after: .milliseconds(2)) {
            trace.append("timer")
            Descriptor.put("x", to: pair.far)
        }
        try loop.runUntilIdle()
        watch.value = nil
        check.equal(trace.values, ["timer", "ready", "work"], "callbacks before it returned")
    }
}
