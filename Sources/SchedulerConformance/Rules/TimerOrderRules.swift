// SPDX-License-Identifier: MIT
import ReactiveCore

/// T4–T7, T15–T17, T21: the turn and the order in which timers fire.
enum TimerOrderRules {
    static let all = [t4, t5, t6, t7, t15, t16, t17, t21]

    static let t4 = Rule(
        "T4",
        "A timer with a delay of zero fires in the next turn, never inline; several fire in the order of scheduling."
    ) { check, loop in
        let (trace, turns) = (Recorder<Int>(), Recorder<UInt64>())
        loop.execute {
            turns.append(loop.turn)
            for number in 0..<100 {
                loop.schedule(after: .zero) {
                    trace.append(number)
                    turns.append(loop.turn)
                }
            }
            check.equal(trace.values, [], "timers that fired inline")
        }
        try check.turns(loop, until: "100 timers fire") { trace.count >= 100 }
        check.equal(trace.values, Array(0..<100), "timers in the order of scheduling")
        expectNextTurn(check, turns.values)
    }

    static let t5 = Rule("T5", "A negative delay counts as zero.") { check, loop in
        let (trace, turns) = (Recorder<Int>(), Recorder<UInt64>())
        @Sendable func fire(_ number: Int) {
            trace.append(number)
            turns.append(loop.turn)
        }
        loop.execute {
            turns.append(loop.turn)
            loop.schedule(after: .seconds(-1)) { fire(2) }
            loop.schedule(after: .nanoseconds(Int64.min)) { fire(0) }
            _ = loop.schedule(at: .distantPast, options: TimerOptions()) { fire(1) }
        }
        try check.turns(loop, until: "three timers fire") { trace.count >= 3 }
        check.equal(trace.values.sorted(), [0, 1, 2], "timers that fired, in any order")
        expectNextTurn(check, turns.values)
    }

    /// Expects that timers fired in the turn after the first of `turns`, which scheduled them. A host may run iterations
    /// without a turn of its guest, so this does not count iterations.
    private static func expectNextTurn(_ check: Check, _ turns: [UInt64]) {
        guard let first = turns.first else { return }
        let expected = Array(repeating: first + 1, count: turns.count - 1)
        check.equal(Array(turns.dropFirst()), expected, "the turns in which the timers fired")
    }

    static let t6 = Rule(
        "T6",
        "Timers with equal deadlines fire in the order in which they were scheduled."
    ) { check, loop in
        let trace = Recorder<Int>()
        let deadline = loop.now + .milliseconds(5)
        for number in 0..<1000 {
            _ = loop.schedule(at: deadline, options: TimerOptions()) { trace.append(number) }
        }
        try loop.runUntilIdle()
        check.equal(trace.values, Array(0..<1000), "order of a thousand timers")
    }

    static let t7 = Rule(
        "T7",
        "Timers with different deadlines fire in the order of their deadlines, whatever the order of scheduling."
    ) { check, loop in
        let trace = Recorder<Int>()
        var random = check.random()
        let start = loop.now
        for number in (0..<1000).shuffled(using: &random) {
            _ = loop.schedule(at: start + .microseconds(5 * number), options: TimerOptions()) {
                trace.append(number)
            }
        }
        try loop.runUntilIdle()
        check.equal(trace.values, Array(0..<1000), "order of a thousand timers")
    }

    static let t15 = Rule("T15", "A repeating timer fires at most once per turn.", needs: [.timeInWork]) { check in
        for repetition in [Repetition.fixedRate(.zero), .fixedRate(.nanoseconds(1)), .fixedDelay(.zero)] {
            let loop = try check.loop()
            let turns = Recorder<UInt64>()
            let timer = loop.schedule(at: .distantPast, repeating: repetition, options: TimerOptions()) {
                turns.append(loop.turn)
                check.spend(.microseconds(5), on: loop)
            }
            try check.turns(loop, until: "50 firings of \(repetition)") { turns.count >= 50 }
            timer.dispose()
            let (seen, first) = (turns.values, turns.values[0])
            check.equal(seen, (0..<seen.count).map { first + UInt64($0) }, "the turns in which \(repetition) fired")
            try check.turns(loop, 2)
            check.equal(turns.count, seen.count, "firings after disposal")
        }
    }

    static let t16 = Rule(
        "T16",
        "Repeating timers with an interval of zero keep firing, two of them alternate, and descriptors are still served.",
        needs: [.descriptors]
    ) { check, loop in
        for repetition in [Repetition.fixedRate(.zero), .fixedDelay(.zero)] {
            let pair = check.pair()
            let counts = Box([0, 0])
            let timers = (0..<2).map { index in
                loop.schedule(at: loop.now, repeating: repetition, options: TimerOptions()) {
                    let apart = counts.update { counts in
                        counts[index] += 1
                        return abs(counts[0] - counts[1])
                    }
                    check.expect(apart <= 1, "the two timers alternate", seen: "\(apart) firings apart")
                    if counts.value[0] > 100_000 { loop.stop() }
                }
            }
            let received = Box(0)
            let watch = try loop.watch(pair.near, for: .read) { _ in
                if Descriptor.take(1, from: pair.near) == 1, received.increment() == 10 { loop.stop() }
            }
            Descriptor.put("0123456789", to: pair.far)
            try loop.run()
            check.equal(received.value, 10, "bytes received during \(repetition)")
            check.expect(counts.value.allSatisfy { $0 >= 2 }, "both fire at least twice", seen: "\(counts.value)")
            for timer in timers { timer.dispose() }
            watch.dispose()
        }
    }

    static let t17 = Rule(
        "T17",
        "Timers with delays of any size do not trap, fire early or delay other timers, and can be cancelled.",
        needs: [.realTime]
    ) { check, loop in
        let wrong = Box(0)
        let delays: [Duration] = [
            .nanoseconds(Int64.max), .seconds(Int64.max), .seconds(1 << 40), .seconds(9_000_000_000),
        ]
        var timers: [any Disposable] = []
        for delay in delays {
            for leeway in [Duration.zero, .seconds(1), .seconds(Int64.max)] {
                timers.append(loop.schedule(after: delay, leeway: leeway) { wrong.increment() })
                timers.append(loop.schedule(every: delay, leeway: leeway) { wrong.increment() })
            }
        }
        timers.append(loop.schedule(after: .seconds(3600), leeway: .seconds(4_700_000_000)) { wrong.increment() })
        timers.append(loop.schedule(at: .distantFuture, options: TimerOptions()) { wrong.increment() })
        let turns = Recorder<UInt64>()
        let all = timers
        loop.execute { turns.append(loop.turn) }
        loop.schedule(after: .milliseconds(2)) {
            turns.append(loop.turn)
            for timer in all { timer.dispose() }
        }
        try loop.runUntilIdle()
        check.equal(wrong.value, 0, "timers that fired too early")
        check.equal(turns.count, 2, "readings of the turn, by work and by a timer of 2 ms")
        check.expect(turns.span, "at most 10 turns until the timer of 2 ms") { $0 <= 10 }
        // A rate that began long ago fires once for all missed ticks.
        let fired = Box(0)
        let old = loop.schedule(at: .distantPast, repeating: .fixedRate(.seconds(3600)), options: TimerOptions()) {
            fired.increment()
        }
        try check.turns(loop, until: "an hourly timer that began long ago fires twice") { fired.value >= 2 }
        try check.turns(loop, 10)
        check.equal(fired.value, 2, "firings of an hourly timer that began long ago")
        old.dispose()
    }

    static let t21 = Rule(
        "T21",
        "100 000 timers all fire in order; as many cancelled ones leave nothing behind, and cost at most one search each.",
        .stochastic
    ) { check in
        let count = check.rounds(check.isLong ? 100_000 : 20_000)
        let loop = try check.loop()
        let last = Box(-1)
        let start = loop.now
        for number in 0..<count {
            _ = loop.schedule(at: start + .nanoseconds(number * 100), options: TimerOptions()) {
                let before = last.update { last in
                    defer { last = number }
                    return last
                }
                check.equal(number, before + 1, "the number of the next timer")
            }
        }
        let gone = Box(0)
        var random = check.random()
        let cancelled = (0..<count).map { _ in
            loop.schedule(after: .seconds(3600), Canary.closure(countedBy: gone))
        }
        let shuffled = cancelled.shuffled(using: &random)
        for timer in shuffled[..<(count / 2)] { timer.dispose() }
        // The loop takes the other timers from its inbox, and must then search for them.
        try check.turns(loop, 1)
        for timer in shuffled[(count / 2)...] { timer.dispose() }
        check.equal(gone.value, count, "closures of cancelled timers, released at once")
        try loop.runUntilIdle()
        check.equal(last.value, count - 1, "the number of the last timer that fired")
        ResourceRules.expectNothingHeld(check, loop)
    }
}
