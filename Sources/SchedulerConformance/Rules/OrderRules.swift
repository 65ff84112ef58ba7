// SPDX-License-Identifier: MIT
import ReactiveCore

/// S1–S5, S10–S13: the order of work, descriptors and timers.
enum OrderRules {
    static let all = [s1, s2, s3, s4, s5, s10, s11, s12, s13]

    static let s1 = Rule(
        "S1",
        "Jobs submitted by one thread run exactly once each, in the order of submission."
    ) { check, loop in
        let ran = Recorder<Int>()
        for number in 0..<10_000 {
            if number.isMultiple(of: 2) {
                loop.execute { ran.append(number) }
            } else {
                _ = loop.schedule { ran.append(number) }
            }
        }
        try loop.runUntilIdle()
        check.equal(ran.count, 10_000, "jobs that ran")
        let firstWrong = ran.values.enumerated().first { $0 != $1 }
        check.expect(
            firstWrong == nil,
            "the jobs run in the order of submission",
            seen: "job \(firstWrong?.element ?? -1) at position \(firstWrong?.offset ?? -1)"
        )
    }

    static let s2 = Rule(
        "S2",
        "Work submitted on the loop's thread never runs before the submitting call has returned."
    ) { check, loop in
        let trace = Recorder<String>()
        loop.execute {
            loop.execute { trace.append("execute") }
            _ = loop.schedule { trace.append("schedule") }
            _ = loop.schedule(after: .zero) { trace.append("timer") }
            trace.append("outer")
        }
        try loop.runUntilIdle()
        check.equal(trace.values, ["outer", "execute", "schedule", "timer"], "order of the callbacks")
    }

    static let s3 = Rule(
        "S3",
        "Work submitted by a job runs in a later turn, after all work queued when the turn began, and after one poll."
    ) { check, loop, pair in
        let trace = Recorder<String>()
        try check.read(pair.near, on: loop) { _ in trace.append("ready") }
        loop.execute {
            trace.append("a")
            Descriptor.put("x", to: pair.far)
            loop.execute { trace.append("inner") }
        }
        loop.execute { trace.append("b") }
        try check.turns(loop, 1)
        check.equal(trace.values, ["a", "b", "ready"], "callbacks of one turn")
        try check.turns(loop, 1)
        check.equal(trace.values, ["a", "b", "ready", "inner"], "callbacks of two turns")
    }

    static let s4 = Rule(
        "S4",
        "A turn runs the work that was queued when it began, then the watches of ready descriptors, then the due timers."
    ) { check, loop, pair in
        let trace = Recorder<String>()
        for _ in 0..<3 {
            _ = loop.schedule(after: .zero) { trace.append("timer") }
            let watch = try loop.watch(pair.near, for: .write) { _ in trace.append("ready") }
            loop.execute { trace.append("work") }
            try check.turns(loop, 1)
            watch.dispose()
        }
        check.equal(
            trace.values,
            Array(repeating: ["work", "ready", "timer"], count: 3).flatMap { $0 },
            "order of the callbacks in three turns"
        )
    }

    static let s5 = Rule(
        "S5",
        "If work and timers are scheduled together, the work runs first, in its order, then the timers by deadline."
    ) { check, loop in
        let trace = Recorder<Int>()
        loop.execute {
            let start = loop.now
            loop.execute { trace.append(0) }
            _ = loop.schedule(at: start + .milliseconds(4), options: TimerOptions()) { trace.append(2) }
            _ = loop.schedule(at: start + .milliseconds(2), options: TimerOptions()) { trace.append(1) }
            loop.execute { trace.append(4) }
        }
        try loop.runUntilIdle()
        check.equal(trace.values, [0, 4, 1, 2], "order of the callbacks")
    }

    static let s10 = Rule(
        "S10",
        "If more jobs are queued than one turn runs (20 000), all of them run without waiting for a distant timer.",
        needs: [.realTime, .ownThread]
    ) { check, loop in
        check.disposeAtEnd(loop.schedule(after: .seconds(3600)) {})
        let done = Latch(20_000)
        // One job submits them, so that one turn finds them all.
        loop.execute { for _ in 0..<20_000 { loop.execute { done.arrive() } } }
        try check.wait(for: done, "20 000 jobs run while a timer of an hour is pending")
    }

    static let s11 = Rule(
        "S11",
        "A chain of jobs, each submitted by the previous one, runs on a constant stack and in constant memory at any length."
    ) { check, loop in
        let left = Box(check.rounds(check.isLong ? 1_000_000 : 100_000))
        let (early, late) = (Box(0), Box(0))
        let mark = left.value / 2
        @Sendable func step() {
            let now = left.increment(by: -1)
            if now == mark { early.value = Platform.heapInUse }
            if now == 1 { late.value = Platform.heapInUse }
            if now > 0 { loop.execute { step() } }
        }
        loop.execute { step() }
        try loop.runUntilIdle()
        check.equal(left.value, 0, "jobs left in the chain")
        let growth = late.value - early.value
        check.expect(
            growth < 1_000_000,
            "the heap grows by less than 1 MB in half of the chain",
            seen: "\(growth) bytes"
        )
    }

    static let s12 = Rule(
        "S12",
        "A watch or a timer created in a turn is not called in that turn."
    ) { check, loop, pair in
        let trace = Recorder<String>()
        let watches = Recorder<any DescriptorWatch>()
        @Sendable func begin(_ name: String) {
            _ = loop.schedule(at: .distantPast, options: TimerOptions()) { trace.append("\(name) timer") }
            check.attempt {
                watches.append(try loop.watch(pair.near, for: .write) { _ in trace.append("\(name) watch") })
            }
        }
        func end() {
            for watch in watches.values { watch.dispose() }
            watches.clear()
        }
        loop.execute { begin("work") }
        try check.turns(loop, 1)
        check.equal(trace.values, [], "callbacks in the turn of the work that created them")
        try check.turns(loop, 1)
        check.equal(trace.values, ["work watch", "work timer"], "callbacks in the next turn")
        end()

        _ = loop.schedule(after: .zero) { begin("timer") }
        try check.turns(loop, 1)
        check.equal(trace.count, 2, "callbacks until the end of the turn of the timer that created two")
        try check.turns(loop, 1)
        check.equal(Array(trace.values.dropFirst(2)), ["timer watch", "timer timer"], "callbacks in the next turn")
        end()

        let first = Box<(any DescriptorWatch)?>(nil)
        first.value = try loop.watch(pair.far, for: .write) { _ in
            first.value?.dispose()
            begin("watch")
        }
        try check.turns(loop, 1)
        check.equal(trace.count, 4, "callbacks until the end of the turn of the watch that created two")
        try check.turns(loop, 1)
        check.equal(Array(trace.values.dropFirst(4)), ["watch watch", "watch timer"], "callbacks in the next turn")
        end()
        first.value = nil
    }

    static let s13 = Rule(
        "S13",
        "Work submitted by a descriptor's callback runs in the next turn, without waiting for another event."
    ) { check, loop, pair in
        let ran = Box(0)
        Descriptor.put("x", to: pair.far)
        try check.read(pair.near, on: loop) { _ in loop.execute { ran.increment() } }
        try check.turns(loop, 2)
        check.equal(ran.value, 1, "runs of the work in two turns")
    }
}
