// SPDX-License-Identifier: MIT
import Dispatch
import ReactiveCore
import ReactiveSignals

/// M1–M7: a loop that runs the main thread serves the main queue and the main actor.
enum MainLoopRules {
    static let all = [m1, m2, m3, m4, m5, m6, m7]

    static let m1 = Rule(
        "M1",
        "While a main loop runs, blocks, delayed blocks and sources of `DispatchQueue.main` run on the main thread.",
        on: .mainThread
    ) { check, loop in
        let source = DispatchSource.makeTimerSource(queue: .main)
        let seen = Box<Set<String>>([])
        @Sendable func saw(_ what: String) {
            check.expect(Platform.isMainThread, "\(what) runs on the main thread")
            check.expect(!loop.isCurrent && Schedulers.current == nil, "no scheduler is current in \(what)")
            let isLast = seen.update { seen in
                seen.insert(what)
                return seen.count == 4
            }
            if isLast { loop.stop() }
        }
        // The first is queued before the loop has ever run, the second by another thread while the loop waits.
        DispatchQueue.main.async { saw("async") }
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(10)) { saw("asyncAfter") }
        source.setEventHandler { saw("a timer source") }
        source.schedule(deadline: .now() + .milliseconds(5))
        source.activate()
        loop.schedule(after: .milliseconds(20)) {
            check.thread { DispatchQueue.main.async { saw("async from another thread") } }
        }
        try check.step("runs, until four blocks of the main queue have run", loop.run)
        source.cancel()
        check.equal(seen.value.count, 4, "kinds of blocks that ran")
    }

    static let m2 = Rule(
        "M2",
        "While a main loop runs, tasks of the main actor run on the main thread, even after a sleep.",
        on: .mainThread
    ) { check, loop in
        let steps = Recorder<String>()
        @Sendable func place() -> String { Platform.isMainThread ? "main" : "elsewhere" }
        Task { @MainActor in
            steps.append(place())
            try? await Task.sleep(for: .milliseconds(3))
            steps.append(place())
            let task = Task.detached {
                check.expect(!Platform.isMainThread, "a detached task does not run on the main thread")
                await MainActor.run { steps.append(place()) }
            }
            await task.value
            loop.stop()
        }
        try check.step("runs, until a task of the main actor stops it", loop.run)
        check.equal(
            steps.values,
            ["main", "main", "main"],
            "the thread of the task: at the start, after a sleep, after a hop"
        )
    }

    static let m3 = Rule(
        "M3",
        "In a main loop's callbacks `MainActor.assumeIsolated` and `dispatchPrecondition(.onQueue(.main))` hold.",
        on: .mainThread
    ) { check, loop, pair in
        let count = Box(0)
        @Sendable func look() {
            MainActor.assumeIsolated { _ = count.increment() }
            dispatchPrecondition(condition: .onQueue(.main))
            check.expect(loop.isCurrent, "the loop is current")
        }
        loop.execute { look() }
        loop.schedule(after: .zero) { look() }
        check.disposeAtEnd(try loop.watch(pair.near, for: .write) { _ in look() })
        try loop.runOnce(waiting: false)
        check.equal(count.value, 3, "callbacks that checked")
    }

    static let m4 = Rule(
        "M4",
        "An idle main loop sleeps: it wakes at most 20 times in 200 ms, with a 20 ms timer of the main queue.",
        on: .mainThread
    ) { check, loop in
        let ticks = Box(0)
        let isOver = Box(false)
        let source = DispatchSource.makeTimerSource(queue: .main)
        // The run ends at a tick, not after a fixed time: otherwise a busy machine could delay the timer thread, and no
        // tick would be counted.
        source.setEventHandler {
            ticks.increment()
            if isOver.value { loop.stop() }
        }
        source.schedule(deadline: .now(), repeating: .milliseconds(20))
        source.activate()
        // Count from this job on, so that the turns before it do not count.
        let turns = Recorder<UInt64>()
        loop.execute { turns.append(loop.turn) }
        let busy = Platform.threadTime
        let used = Box<Duration>(.zero)
        loop.schedule(after: .milliseconds(200)) {
            turns.append(loop.turn)
            used.value = Platform.threadTime - busy
            isOver.value = true
        }
        try check.step("runs, until the main queue's timer ticks after 200 ms", loop.run)
        source.cancel()
        check.expect(turns.span, "at most 20 turns") { $0 <= 20 }
        // Ten ticks take about 100 µs each without optimization. A spinning loop uses all of the 200 ms.
        let limit = Duration.milliseconds(100) * check.scale
        check.expect(used.value < limit, "less than 100 ms of processor time", seen: "\(used.value)")
        check.expect(ticks.value >= 1, "the main queue's timer fires", seen: "\(ticks.value) ticks")
    }

    static let m5 = Rule(
        "M5",
        "A block of the main queue that re-enqueues itself forever starves neither descriptors nor timers nor work.",
        on: .mainThread
    ) { check, loop, pair in
        let isOver = Box(false)
        let blocks = Box(0)
        @Sendable func again() {
            blocks.increment()
            if !isOver.value { DispatchQueue.main.async { again() } }
        }
        again()
        let received = Box(0)
        let watch = try loop.watch(pair.near, for: .read) { _ in
            guard Descriptor.take(from: pair.near) > 0 else { return }
            if received.increment() == 100 { loop.stop() }
            Descriptor.put("x", to: pair.far)
        }
        loop.schedule(after: .milliseconds(2)) { loop.execute { Descriptor.put("x", to: pair.far) } }
        try check.step("runs, until a descriptor has been ready 100 times", loop.run)
        isOver.value = true
        watch.dispose()
        check.equal(received.value, 100, "calls of the watch")
        check.expect(blocks.value > 1, "the block keeps running", seen: "it ran \(blocks.value) times")
        // These turns release the last block and its captures.
        try check.turns(loop, 5)
    }

    static let m6 = Rule(
        "M6",
        "Loops other than the main loop do not serve the main queue, even if the main thread runs them.",
        on: .mainThread
    ) { check in
        let main = try check.mainLoop()
        let again = try check.mainLoop()
        check.expect(main === again, "the main loop is always the same object")
        check.thread { check.equal(failure { try main.run() }, .notMainThread, "the error of a run on another thread") }
            .join()
        let other = try check.loop()
        let ran = Box(false)
        DispatchQueue.main.async { ran.value = true }
        other.schedule(after: .milliseconds(20)) {}
        try other.runUntilIdle()
        if check.has(.ownThread) { try check.sync(try check.ownedLoop()) }
        check.expect(!ran.value, "a block of the main queue waits for the main loop", seen: "another loop ran it")
        main.schedule(after: .milliseconds(20)) {}
        try main.runUntilIdle()
        check.expect(ran.value, "the main loop runs the block", seen: "it did not")
    }

    static let m7 = Rule(
        "M7",
        "Timers of Foundation's `RunLoop.main` fire while a main loop runs.",
        .optional,
        needs: [.runLoop],
        on: .mainThread
    ) { check, loop in
        let fired = Box(false)
        check.description.setRunLoopTimer?(.milliseconds(5)) {
            fired.value = true
            loop.stop()
        }
        let limit = loop.schedule(after: check.patience) { loop.stop() }
        try loop.run()
        limit.dispose()
        check.expect(fired.value, "a timer of RunLoop.main of 5 ms fires", seen: "it did not within \(check.patience)")
    }
}
