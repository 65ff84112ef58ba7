// SPDX-License-Identifier: MIT
import ReactiveCore

/// X1–X9: work from one thread to another.
enum HopRules {
    static let all = [x1, x2, x3, x4, x5, x6, x7, x8, x9]

    static let x1 = Rule(
        "X1",
        "Work from another thread promptly wakes a loop that waits for nothing else, and runs on the loop.",
        needs: [.ownThread]
    ) { check, loop in
        var best = Duration.seconds(100)
        for _ in 0..<100 {
            let given = Platform.now
            try check.sync(loop) {
                check.expect(loop.isCurrent, "the loop is current")
                check.expect(!Platform.isMainThread, "work does not run on the main thread")
            }
            best = min(best, Platform.now - given)
            // Lets the loop wait again.
            Platform.pause(.microseconds(200))
        }
        check.expect(best, "at most 100 ms, in the best of 100 tries") { $0 < .milliseconds(100) * check.scale }
    }

    static let x2 = Rule(
        "X2",
        "No wake-up is lost and no job runs twice: eight threads submit 100 000 jobs each; two loops hop back and forth.",
        .stochastic,
        needs: [.ownThread],
        limit: .seconds(60)
    ) { check, loop in
        let hops = check.rounds(check.isLong ? 100_000 : 5000)
        let next = Box(Array(repeating: 0, count: 8))
        let done = Latch(8)
        for producer in 0..<8 {
            check.thread {
                for number in 0..<hops {
                    loop.execute {
                        let due = next.update { next in
                            defer { next[producer] += 1 }
                            return next[producer]
                        }
                        check.equal(number, due, "the number of the next job of thread \(producer)")
                        if number == hops - 1 { done.arrive() }
                    }
                    // Sometimes the loop should find nothing and wait.
                    if number & 0x3ff == 0 { Platform.pause(.microseconds(300)) }
                }
            }
        }
        try check.wait(for: done, "\(8 * hops) jobs run") { next.value.reduce(0, +) }
        try check.sync(loop)
        check.equal(next.value, Array(repeating: hops, count: 8), "jobs of each thread that ran")
        for peer in check.peers {
            try Hopping.roundTrips(check, peer, check.rounds(check.isLong ? 100_000 : 5000), window: 64)
            try Hopping.roundTrips(check, peer, check.rounds(check.isLong ? 10_000 : 2000), window: 1)
        }
    }

    static let x3 = Rule(
        "X3",
        "Thread-safe calls from the loop's own callbacks take effect in the next turn, without waiting for an event.",
        needs: [.realTime]
    ) { check, loop, pair in
        check.disposeAtEnd(loop.schedule(after: .seconds(3600)) {})
        let turns = Recorder<UInt64>()
        let left = Box(2)
        @Sendable func again() {
            turns.append(loop.turn)
            loop.execute {
                turns.append(loop.turn)
                if left.increment(by: -1) == 0 { loop.stop() }
            }
        }
        loop.schedule(after: .milliseconds(1)) { again() }
        try check.read(pair.near, on: loop) { count in if count > 0 { again() } }
        loop.schedule(after: .milliseconds(3)) { Descriptor.put("x", to: pair.far) }
        try check.step("runs, with a pending timer of an hour", loop.run)
        check.equal(turns.count, 4, "callbacks and the jobs that they submitted")
        let sorted = turns.values.sorted()
        for index in [0, 2] where sorted.count == 4 {
            check.equal(sorted[index + 1], sorted[index] + 1, "the turn of the submitted job")
        }
    }

    static let x4 = Rule(
        "X4",
        "Any number of calls from other threads while the loop is busy cause at most one wake-up.",
        .optional,
        needs: [.ownThread]
    ) { check in
        let before = Descriptor.all
        let loop = try check.ownedLoop()
        try check.sync(loop)
        let goOn = try check.occupy(loop)
        let start = ProcessResources.eventCount(since: before)
        for _ in 0..<1000 { loop.execute {} }
        let wakeUps = ProcessResources.eventCount(since: before) - start
        goOn.arrive()
        try check.sync(loop)
        check.expect(wakeUps <= 1, "at most one write to the loop's eventfd for 1 000 calls", seen: "\(wakeUps)")
        // Afterwards the loop must be idle again: a loop that did not clear its eventfd would spin.
        let turns = Recorder<UInt64>()
        try check.sync(loop) { turns.append(loop.turn) }
        check.spend(.milliseconds(20), on: loop)
        try check.sync(loop) { turns.append(loop.turn) }
        check.expect(turns.span, "at most 20 turns of an idle loop") { $0 <= 20 }
    }

    static let x5 = Rule(
        "X5",
        "A job sees what was written before it was submitted, and the thread that waits for the job sees what the job wrote.",
        needs: [.ownThread]
    ) { check, loop in
        let plain = Unprotected()
        for round in 0..<500 {
            plain.value = round
            try check.sync(loop) {
                check.equal(plain.value, round, "the value written before the hop")
                plain.value = -round
            }
            check.equal(plain.value, -round, "the value written by the job")
        }
    }

    static let x6 = Rule(
        "X6",
        "`execute` and `schedule` share one queue: jobs from the loop and from other threads run in the order of the calls."
    ) { check, loop in
        let trace = Recorder<Int>()
        loop.execute {
            loop.execute { trace.append(0) }
            check.thread {
                loop.execute { trace.append(1) }
                _ = loop.schedule { trace.append(2) }
            }.join()
            _ = loop.schedule { trace.append(3) }
            loop.execute { trace.append(4) }
        }
        try loop.runUntilIdle()
        check.equal(trace.values, [0, 1, 2, 3, 4], "order of the jobs")
    }

    static let x7 = Rule(
        "X7",
        "Work that races with disposal runs or is released, and never blocks; a task's job runs, even after disposal.",
        needs: [.ownThread]
    ) { check in
        for round in 0..<40 {
            let loop = try check.ownedLoop()
            let gone = Box(0)
            let isBusy = Latch()
            let producer = check.thread {
                for number in 0..<200 {
                    let work = Canary.closure(countedBy: gone)
                    switch number % 3 {
                    case 0: loop.execute(work)
                    case 1: _ = loop.schedule(work)
                    default: loop.schedule(after: .microseconds(50), work)
                    }
                    if number == 20 { isBusy.arrive() }
                }
            }
            try check.wait(for: isBusy, "the other thread submits work")
            check.spend(.microseconds(round * 3), on: loop)
            loop.dispose()
            producer.join()
            check.equal(gone.value, 200, "released closures in round \(round)")
        }
        // Jobs are never dropped, because their tasks would wait forever.
        for isEarly in [true, false] {
            let loop = try check.loop()
            let done = Latch(20)
            if isEarly { loop.dispose() }
            for _ in 0..<20 {
                Task.detached(executorPreference: loop) {
                    check.expect(loop.isCurrent, "the loop is current in a task's job, whichever thread runs it")
                    await Task.yield()
                    done.arrive()
                }
            }
            if !isEarly { loop.dispose() }
            try check.wait(
                for: done,
                "20 tasks finish, created \(isEarly ? "after" : "before") their loop was disposed"
            )
        }
    }

    static let x8 = Rule(
        "X8",
        "Work submitted after disposal is dropped and released at once, and its handle is disposed."
    ) { check in
        for isOwned in check.owners {
            let loop = try check.loop(isOwned: isOwned)
            loop.dispose()
            let gone = Box(0)
            func work() -> @Sendable () -> Void {
                Canary.closure(countedBy: gone) {
                    check.fail(expected: "work submitted after disposal does not run", seen: "it ran")
                }
            }
            loop.execute(work())
            check.expect(loop.schedule(work()).isDisposed, "the handle of work is disposed")
            check.expect(loop.schedule(after: .zero, work()).isDisposed, "the handle of a timer is disposed")
            check.expect(
                loop.schedule(every: .milliseconds(1), work()).isDisposed,
                "the handle of a repeating timer is disposed"
            )
            check.equal(gone.value, 4, "released closures")
            check.expect(loop.isDisposed, "the loop reports that it is disposed")
        }
    }

    static let x9 = Rule(
        "X9",
        "Any number of wake-ups from many threads acts like one: nothing blocks, grows or is lost.",
        .stochastic
    ) { check, loop in
        let ran = Box(0)
        let storm = check.rounds(check.isLong ? 250_000 : 5000)
        check.onThreads(4) { _ in
            for _ in 0..<storm {
                loop.execute { ran.increment() }
                loop.stop()
            }
        }
        // Any number of stops count as one: this run is one turn, and the next run is normal.
        try loop.run()
        try loop.runUntilIdle()
        check.equal(ran.value, 4 * storm, "jobs that ran")
    }
}

/// Jobs that hop back and forth between two loops.
enum Hopping {
    static func roundTrips(_ check: Check, _ peer: LoopDescription, _ count: Int, window: Int) throws {
        let near = try check.ownedLoop()
        let far = try check.loop(of: peer, isOwned: true)
        let done = Latch()
        let (begun, seenFar, seenNear) = (Box(0), Box(0), Box(0))
        @Sendable func begin() {
            let number = begun.value
            if number == count { return }
            begun.value = number + 1
            far.execute {
                check.equal(number, seenFar.increment() - 1, "the number of the next hop to \(peer.name)")
                near.execute {
                    check.equal(number, seenNear.increment() - 1, "the number of the next hop back")
                    if number == count - 1 { done.arrive() }
                    begin()
                }
            }
        }
        near.execute { for _ in 0..<window { begin() } }
        let what = "\(count) round trips to \(peer.name) complete, \(window) at a time"
        try check.wait(for: done, what) { seenNear.value }
        near.dispose()
        far.dispose()
    }
}

extension Check {
    /// For loops that own a thread (`true`) and loops that do not (`false`), if the description can create both.
    var owners: [Bool] { has(.ownThread) ? [false, true] : [false] }
}
