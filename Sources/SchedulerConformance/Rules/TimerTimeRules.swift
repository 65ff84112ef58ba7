// SPDX-License-Identifier: MIT
import ReactiveCore

/// T1–T3, T13, T14, T18–T20, T22–T24: the instants at which timers fire.
enum TimerTimeRules {
    static let all = [t1, t2, t3, t13, t14, t18, t19, t20, t22, t23, t24]

    static let t1 = Rule(
        "T1",
        "A timer never fires before its deadline, whatever else wakes the loop.",
        needs: [.ownThread]
    ) { check, loop in
        let noise = BusyThreads(1) { _ in
            loop.execute {}
            Platform.pause(.microseconds(50))
        }
        let delays: [Duration] = [
            .microseconds(1), .microseconds(100), .milliseconds(1), .microseconds(1500), .milliseconds(5),
            .milliseconds(70),
        ]
        let fired = Latch(delays.count * 20)
        for delay in delays {
            for _ in 0..<20 {
                let set = loop.now
                loop.schedule(after: delay) {
                    let took = loop.now - set
                    check.expect(took >= delay, "a timer of \(delay) fires no earlier", seen: "after \(took)")
                    fired.arrive()
                }
            }
        }
        try check.wait(for: fired, "120 timers of at most 70 ms fire")
        noise.end()
        // Scheduled inside callbacks, after some work, because a cached clock of a library is out of date there.
        let inside = Latch(100)
        @Sendable func next(_ left: Int) {
            check.spend(.microseconds(300), on: loop)
            let set = loop.now
            loop.schedule(after: .microseconds(500)) {
                let took = loop.now - set
                check.expect(
                    took >= .microseconds(500),
                    "a timer of 500 µs is not early after work",
                    seen: "after \(took)"
                )
                inside.arrive()
                if left > 1 { next(left - 1) }
            }
        }
        loop.execute { next(100) }
        try check.wait(for: inside, "100 timers fire, each scheduled by the previous one")
    }

    static let t2 = Rule(
        "T2",
        "The delay of a timer that is scheduled at the end of long work counts from that moment.",
        needs: [.timeInWork]
    ) { check, loop in
        let times = Recorder<LoopInstant>()
        loop.execute {
            check.spend(.milliseconds(30), on: loop)
            times.append(loop.now)
            _ = loop.schedule(after: .milliseconds(40)) { times.append(loop.now) }
        }
        try loop.runUntilIdle()
        guard times.count == 2 else { throw Broken("the timer fires once", "\(times.count - 1) times") }
        check.expect(times.values[1] - times.values[0], "at least 40 ms") { $0 >= .milliseconds(40) }
    }

    static let t3 = Rule(
        "T3",
        "A long callback does not delay a timer that is due after the callback's end.",
        needs: [.timeInWork]
    ) { check in
        // The machine may be busy, so one of fifty attempts must be on time.
        var best = Duration.seconds(100)
        for _ in 0..<50 where best > .milliseconds(30) {
            let loop = try check.loop()
            let late = Box<Duration?>(nil)
            let start = loop.now
            loop.schedule(after: .milliseconds(60)) { late.value = loop.now - start - .milliseconds(60) }
            loop.schedule(after: .milliseconds(20)) { check.spend(.milliseconds(35), on: loop) }
            try loop.runUntilIdle()
            guard let late = late.value else { throw Broken("the timer fires", "it did not") }
            check.expect(late >= .zero, "the timer is not early", seen: "\(late)")
            best = min(best, late)
        }
        check.expect(best <= .milliseconds(30), "at most 30 ms late (an outdated clock makes it 35)", seen: "\(best)")
    }

    static let t13 = Rule(
        "T13",
        "The k-th firing at a fixed rate is due k intervals after the first; one firing replaces all missed ones.",
        needs: [.timeInWork]
    ) { check, loop in
        let period = Duration.milliseconds(4)
        let times = Recorder<LoopInstant>()
        let first = loop.now + period
        let timer = Box<(any Disposable)?>(nil)
        timer.value = loop.schedule(at: first, repeating: .fixedRate(period), options: TimerOptions()) {
            times.append(loop.now)
            if times.count == 20 { timer.value?.dispose() }
            // The work takes a quarter of a period, and sometimes more than five periods.
            check.spend(times.count.isMultiple(of: 5) ? .milliseconds(22) : .milliseconds(1), on: loop)
        }
        try loop.runUntilIdle()
        timer.value = nil
        check.equal(times.count, 20, "firings")
        // The tick of the rate at which each firing occurs. Ticks never decrease, and the loop must not miss all of
        // them.
        let ticks = times.values.map { time in (time - first) / period }
        for (number, time) in times.values.enumerated() {
            check.expect(time >= first + period * number, "firing \(number) is not before its tick", seen: "\(ticks)")
        }
        for (earlier, later) in zip(ticks, ticks.dropFirst()) {
            check.expect(
                later.rounded(.down) >= earlier.rounded(.down),
                "no firing belongs to an earlier tick than the previous one",
                seen: "\(ticks)"
            )
        }
        // Of two firings in one period, the first may be late and the second on time. A third firing would repeat a
        // missed one.
        for (earlier, later) in zip(ticks, ticks.dropFirst(2)) {
            let isApart = later.rounded(.down) > earlier.rounded(.down)
            check.expect(isApart, "one firing replaces all missed ones", seen: "\(ticks)")
        }
        // With drift, each firing would come at least one and a quarter periods after the previous one: the work and a
        // full wait.
        let gaps = zip(ticks, ticks.dropFirst()).map { $1 - $0 }
        check.expect(gaps.contains { $0 < 1.2 }, "two firings less than 1.2 periods apart", seen: "\(gaps)")
    }

    static let t14 = Rule(
        "T14",
        "A fixed delay counts from the end of the work.",
        needs: [.timeInWork]
    ) { check, loop in
        let times = Recorder<LoopInstant>()
        let timer = Box<(any Disposable)?>(nil)
        timer.value = loop.schedule(at: loop.now, repeating: .fixedDelay(.milliseconds(2)), options: TimerOptions()) {
            times.append(loop.now)
            check.spend(.milliseconds(3), on: loop)
            times.append(loop.now)
            if times.count == 20 { timer.value?.dispose() }
        }
        try loop.runUntilIdle()
        timer.value = nil
        let values = times.values
        check.equal(values.count, 20, "starts and ends of ten firings")
        for index in stride(from: 2, to: values.count, by: 2) {
            let pause = values[index] - values[index - 1]
            check.expect(pause, "at least 2 ms from the end of a firing to the next") { $0 >= .milliseconds(2) }
        }
    }

    static let t18 = Rule(
        "T18",
        "Short timers do not spin: five in sequence, of 10 ms and much less, take at most 20 turns."
    ) { check, loop in
        let delays: [Duration] = [
            .milliseconds(10), .microseconds(100), .microseconds(1), .nanoseconds(10),
            Duration(secondsComponent: 0, attosecondsComponent: 100_000_000),
        ]
        let left = Box(delays)
        let turns = Recorder<UInt64>()
        @Sendable func next() {
            turns.append(loop.turn)
            let delay = left.update { left in left.popLast() }
            if let delay { loop.schedule(after: delay) { next() } }
        }
        loop.execute { next() }
        try loop.runUntilIdle()
        check.equal(turns.count, 6, "steps: the start and five sleeps")
        check.expect(turns.span, "at most 20 turns") { $0 <= 20 }
        guard check.has(.ownRun) else { return }
        try sleeping(check, loop, "in a loop without watches")
        if check.has(.descriptors) {
            check.disposeAtEnd(try loop.watch(check.pair().near, for: .read) { _ in })
            try sleeping(check, loop, "beside a silent watch")
        }
    }

    /// Twenty timers of 10 ms in sequence. A poller that spins shortly before each deadline uses most of the time, or never
    /// waits.
    private static func sleeping(_ check: Check, _ loop: any LoopScheduler, _ what: String) throws {
        let left = Box(20)
        @Sendable func next() {
            if left.value == 0 { return }
            left.value -= 1
            loop.schedule(after: .milliseconds(10)) { next() }
        }
        loop.execute { next() }
        let before = (time: Platform.threadTime, waits: Platform.threadWaits)
        while left.value > 0 { try loop.runOnce(waiting: true) }
        let (time, waits) = (Platform.threadTime - before.time, Platform.threadWaits - before.waits)
        let limit = Duration.milliseconds(100) * check.scale
        // Virtual time needs no wait.
        let least = check.has(.realTime) ? 1 : 0
        check.expect(
            time < limit && (least..<100).contains(waits),
            "twenty timers of 10 ms take less than \(limit) of processor time, and \(least) to 99 waits, \(what)",
            seen: "\(time), \(waits) waits"
        )
    }

    static let t19 = Rule("T19", "Leeway only delays a timer, and by no more than its value.", .optional) { check in
        // One of 200 attempts must be on time, because a delay of the machine is not leeway.
        var latest = Duration.seconds(100)
        for _ in 0..<200 where latest > .milliseconds(5) {
            let loop = try check.loop()
            let over = Recorder<Duration>()
            for number in 1...20 {
                let deadline = loop.now + .microseconds(200 * number)
                let leeway = Duration.microseconds(100 * number)
                _ = loop.schedule(at: deadline, options: TimerOptions(leeway: leeway)) {
                    let late = loop.now - deadline
                    check.expect(late >= .zero, "not before the deadline", seen: "\(late)")
                    over.append(late - leeway)
                }
            }
            try loop.runUntilIdle()
            check.equal(over.count, 20, "timers that fired")
            latest = over.values.max() ?? .seconds(100)
        }
        check.expect(
            latest <= .milliseconds(5) * max(1, check.scale),
            "at most 5 ms later than the leeway allows",
            seen: "\(latest) later"
        )
    }

    static let t20 = Rule(
        "T20",
        "The loop's clock is the system's monotonic clock; changes of the wall clock do not affect it.",
        needs: [.realTime]
    ) { check, loop in
        for _ in 0..<1000 {
            let before = Platform.now
            let now = loop.now
            let after = Platform.now
            check.expect(before <= now && now <= after, "a reading between \(before) and \(after)", seen: "\(now)")
        }
    }

    static let t22 = Rule(
        "T22",
        "Time passes while the loop does not run: timers that become due in that time fire in the next turn.",
        needs: [.timeInWork]
    ) { check, loop in
        let (trace, turns) = (Recorder<Int>(), Recorder<UInt64>())
        let start = loop.now
        for delay in [30, 10] {
            _ = loop.schedule(at: start + .milliseconds(delay), options: TimerOptions()) {
                trace.append(delay)
                turns.append(loop.turn)
            }
        }
        let first = Box<UInt64>(0)
        loop.execute { first.value = loop.turn }
        try check.turns(loop, 1)
        let wasQuick = loop.now - start < .milliseconds(10)
        if wasQuick { check.equal(trace.values, [], "timers that fired early") }
        let isInTime = trace.count == 0
        check.spend(.milliseconds(40), on: loop)
        // A guest runs no turn before the kernel, perhaps on another processor, reports a due timer.
        try check.turns(loop, until: "both timers have fired") { trace.count == 2 }
        check.equal(trace.values, [10, 30], "timers that fired")
        if isInTime { check.equal(turns.values, [first.value + 1, first.value + 1], "the turns in which they fired") }
    }

    static let t23 = Rule(
        "T23",
        "A timer that another thread schedules shortens the wait of a loop that is waiting for a later timer.",
        needs: [.realTime, .ownThread]
    ) { check, loop in
        check.disposeAtEnd(loop.schedule(after: .seconds(3600)) {})
        for _ in 0..<10 {
            let fired = Latch()
            try check.sync(loop)
            // After this pause the loop usually waits.
            Platform.pause(.microseconds(500))
            let set = loop.now
            loop.schedule(after: .milliseconds(2)) { fired.arrive() }
            try check.wait(for: fired, "a timer of 2 ms fires while the loop waits for one of an hour")
            check.expect(loop.now - set >= .milliseconds(2), "the timer is not early", seen: "\(loop.now - set)")
        }
    }

    static let t24 = Rule(
        "T24",
        "`now` reads the clock at every call and never goes back.",
        needs: [.timeInWork]
    ) { check, loop in
        loop.execute {
            let start = loop.now
            var last = start
            for _ in 0..<50 {
                check.spend(.milliseconds(1), on: loop)
                let now = loop.now
                check.expect(now >= last + .milliseconds(1), "at least 1 ms after \(last)", seen: "\(now)")
                last = now
            }
        }
        try loop.runUntilIdle()
    }
}
