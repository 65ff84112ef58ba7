// SPDX-License-Identifier: MIT
import ReactiveCore

/// S6–S9: no kind of work starves another.
enum FairnessRules {
    static let all = [s6, s7, s8, s9]

    static let s6 = Rule(
        "S6",
        "Work that resubmits itself forever delays no timer by more than a turn.",
        needs: [.timeInWork]
    ) { check in
        for delay in [Duration.microseconds(10), .milliseconds(1)] {
            let loop = try check.loop()
            let late = Box(0)
            let deadline = loop.now + delay
            let isOver = Box(false)
            _ = loop.schedule(at: deadline, options: TimerOptions()) { isOver.value = true }
            @Sendable func again() {
                if isOver.value { return }
                if loop.now >= deadline { late.increment() }
                check.spend(.microseconds(1), on: loop)
                if late.value < 1000 { loop.execute { again() } }
            }
            loop.execute { again() }
            try loop.runUntilIdle()
            check.expect(
                late.value <= 1,
                "at most one more turn after the deadline of \(delay)",
                seen: "\(late.value) turns"
            )
        }
    }

    static let s7 = Rule(
        "S7",
        "Work that resubmits itself forever does not starve a ready descriptor (1 000 echoes)."
    ) { check, loop, pair in
        let (echoed, turns) = (Box(0), Box(0))
        try check.read(pair.near, on: loop) { count in if count > 0 { Descriptor.put("x", to: pair.near) } }
        try check.read(pair.far, on: loop) { count in
            guard count > 0 else { return }
            if echoed.increment() == 1000 { loop.stop() } else { Descriptor.put("x", to: pair.far) }
        }
        @Sendable func again() {
            if echoed.value == 1000 { return }
            if turns.increment() < 100_000 { loop.execute { again() } } else { loop.stop() }
        }
        again()
        Descriptor.put("x", to: pair.far)
        try loop.run()
        check.equal(echoed.value, 1000, "echoes while \(turns.value) jobs ran")
    }

    static let s8 = Rule(
        "S8",
        "A timer that re-arms itself with a delay of zero starves neither other timers nor work nor descriptors.",
        needs: [.timeInWork]
    ) { check, loop, pair in
        let seen = Box<Set<String>>([])
        let turns = Box(0)
        @Sendable func saw(_ what: String) {
            let all = seen.update { seen in
                seen.insert(what)
                return seen.count == 3
            }
            if all { loop.stop() }
        }
        @Sendable func again() {
            // In virtual time, the clock advances only if the check spends time.
            check.spend(.microseconds(1), on: loop)
            if turns.increment() == 1_000_000 { return loop.stop() }
            _ = loop.schedule(after: .zero) { again() }
        }
        loop.execute { again() }
        _ = loop.schedule(after: .milliseconds(2)) {
            saw("timer")
            Descriptor.put("x", to: pair.far)
            loop.execute { saw("work") }
        }
        try check.read(pair.near, on: loop) { count in if count > 0 { saw("descriptor") } }
        try loop.run()
        check.equal(seen.value.sorted(), ["descriptor", "timer", "work"], "callbacks besides the repeated timer")
    }

    static let s9 = Rule(
        "S9",
        "A descriptor that is always ready is reported once per turn, and starves neither other descriptors nor work nor timers.",
        needs: [.descriptors]
    ) { check, loop in
        let (pair, other) = (check.pair(), check.pair())
        let trace = Recorder<String>()
        Descriptor.put("never read", to: pair.far)
        check.disposeAtEnd(try loop.watch(pair.near, for: .read) { _ in trace.append("greedy") })
        try check.read(other.near, on: loop) { _ in trace.append("modest") }
        for turn in 0..<50 {
            Descriptor.put("x", to: other.far)
            loop.execute { trace.append("work") }
            _ = loop.schedule(after: .zero) { trace.append("timer") }
            try check.turns(loop, 1)
            let calls = Array(trace.values.dropFirst(turn * 4))
            let isFair =
                calls.first == "work" && calls.last == "timer"
                && calls.sorted() == ["greedy", "modest", "timer", "work"]
            check.expect(isFair, "in turn \(turn): work, both descriptors, timer", seen: "\(calls)")
            if !isFair { break }
        }
        DescriptorLimit.raise()
        for delay: Duration? in [nil, .seconds(3600), .zero] {
            for count in [24, 100, 300] { try manyReady(check, count, timerAfter: delay) }
        }
    }

    /// Watches `most` descriptors that are always ready, or as many as the limit permits. A wait may report some of them
    /// only (Decision 0070), but then the others come first.
    ///
    /// - Parameter delay: The delay of a repeating timer. `nil` means that the waits have no deadline.
    private static func manyReady(_ check: Check, _ most: Int, timerAfter delay: Duration?) throws {
        let loop = try check.loop()
        let timer = delay.map {
            loop.schedule(at: loop.now + $0, repeating: .fixedDelay($0), options: TimerOptions()) {}
        }
        defer { timer?.dispose() }
        let pair = check.pair()
        Descriptor.put("never read", to: pair.far)
        let count = DescriptorLimit.room(for: most)
        // Copies of one socket, so that they are ready for the same reason. Every fourth number is too high for `select`.
        let copies = (0..<count).map { number in
            (number % 4 == 3 ? check.highCopy(of: pair.near) : nil) ?? Descriptor.copy(of: pair.near)
        }
        defer { for copy in copies where copy >= 0 { Descriptor.close(copy) } }
        guard copies.allSatisfy({ $0 >= 0 }) else {
            throw Broken("\(count) more descriptors", "errno \(Descriptor.lastError)")
        }
        let calls = Recorder<Int>()
        let kinds: [Readiness] = [.read, .write, [.read, .write]]
        let watches = try copies.enumerated().map { number, descriptor in
            let interest = kinds[number % 3]
            return try loop.watch(descriptor, for: interest) { ready in
                check.equal(ready, interest, "the readiness of descriptor \(number) of \(count)")
                calls.append(number)
            }
        }
        var counts = [Int](repeating: 0, count: count)
        for turn in 0..<30 where check.failure == nil {
            try loop.runOnce(waiting: turn.isMultiple(of: 2))
            let called = calls.values.dropFirst(counts.reduce(0, +))
            for number in called { counts[number] += 1 }
            check.equal(Set(called).count, called.count, "watches called in turn \(turn), each once, of \(count)")
            // A buffer that begins with 24 descriptors, and doubles, has room for a hundred in the fourth turn.
            let least = min(count, turn < 4 ? 24 : 100)
            check.expect(called.count >= least, "\(least) of \(count) calls in turn \(turn)", seen: "\(called.count)")
            let difference = (counts.max() ?? 0) - (counts.min() ?? 0)
            check.expect(
                difference <= 1,
                "no watch of \(count) is called again before the others, in turn \(turn)",
                seen: "one is called \(difference) times more than another"
            )
        }
        for watch in watches { watch.dispose() }
    }
}
