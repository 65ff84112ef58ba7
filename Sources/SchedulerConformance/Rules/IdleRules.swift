// SPDX-License-Identifier: MIT
import ReactiveCore

/// X10 and N23: the costs of an idle loop.
enum IdleRules {
    static let all = [x10, n23]

    static let x10 = Rule(
        "X10",
        "An idle loop sleeps: in 250 ms it takes at most 20 turns, waits at most 6 times, and uses little processor time.",
        needs: [.realTime, .descriptors]
    ) { check in
        // A poller may wait in another way after its first hop, watch, deadline or event. So each of these steps adds one.
        let fresh = try check.loop()
        let expectLongTimer = check.has(.ownThread) ? try longTimer(check) : nil
        try idle(check, fresh, "in a new loop")
        try idle(check, fresh, "after work from another thread")
        let loop = try check.loop()
        let pair = check.pair()
        let (calls, writerCalls) = (Box(0), Box(0))
        let watch = try loop.watch(pair.near, for: .read) { _ in
            calls.increment()
            Descriptor.take(from: pair.near)
        }
        try idle(check, loop, "with a silent watch, before any timer")
        let far = loop.schedule(after: .seconds(3600)) {}
        try idle(check, loop, "with a silent watch and a timer of an hour")
        let fired = Box(false)
        loop.schedule(after: .milliseconds(1)) { fired.value = true }
        while !fired.value { try loop.runOnce(waiting: true) }
        far.dispose()
        let writers = try watchFull(check, loop, writerCalls)
        try idle(check, loop, "with full sockets watched for writing, after timers have fired or been cancelled")
        for writer in writers { writer.dispose() }
        check.equal(calls.value + writerCalls.value, 0, "calls of silent watches")
        // Shows that the watch was not dead.
        Descriptor.put("x", to: pair.far)
        try check.turns(loop, until: "the watch is called") { calls.value == 1 }
        try watch.setInterest([.read, .write])
        try check.turns(loop, until: "the watch is called for writing") { calls.value > 1 }
        try watch.setInterest(.read)
        try idle(check, loop, "with a silent watch that has been called, and narrowed to reading")
        watch.dispose()
        let stale = try [closeWatched(check, loop), closeBothWatched(check, loop)]
        // More milliseconds than a number of 32 bits with a sign can express.
        let month = loop.schedule(after: .seconds(30 * 86_400)) {}
        try idle(check, loop, "after watched descriptors were closed, with a timer of 30 days")
        month.dispose()
        for watch in stale { watch.dispose() }
        try disposeReady(check, loop)
        try idle(check, loop, "without timers and watches")
        try crowd(check)
        try expectLongTimer?()
    }

    /// Watches four full sockets. The first has nothing to read, the second has an unread byte, and the peer of the third has
    /// ended its sending: these are watched for writing. The fourth has nothing to read, and is watched for both.
    private static func watchFull(
        _ check: Check,
        _ loop: any LoopScheduler,
        _ calls: Box<Int>
    ) throws -> [any DescriptorWatch] {
        try (0..<4).map { number in
            let full = check.pair()
            Descriptor.fill(full.near)
            if number == 1 { Descriptor.put("x", to: full.far) }
            if number == 2 { Descriptor.endSending(full.far) }
            return try loop.watch(full.near, for: number == 3 ? [.read, .write] : .write) { _ in calls.increment() }
        }
    }

    /// Disposes the watches of two descriptors that stay open and ready: one has an unread byte, the other has room.
    private static func disposeReady(_ check: Check, _ loop: any LoopScheduler) throws {
        let (pair, calls) = (check.pair(), Box(0))
        Descriptor.put("x", to: pair.near)
        let watches = try [
            loop.watch(pair.far, for: .read) { _ in calls.increment() },
            loop.watch(pair.near, for: .write) { _ in calls.increment() },
            // The second watch of the descriptor is disposed first, so the poller also changes an interest.
            loop.watch(pair.near, for: .read) { _ in calls.increment() },
        ]
        try check.turns(loop, until: "the watches of ready descriptors are called") { calls.value >= 2 }
        for watch in watches.reversed() { watch.dispose() }
    }

    /// Checks a loop with many silent watches and a listener, after a signal has interrupted a wait: without a timer, and
    /// with one of 10 s.
    private static func crowd(_ check: Check) throws {
        let loop = try check.loop()
        if check.has(.processSignals) { try interrupt(check, loop) }
        DescriptorLimit.raise()
        let (pair, listener) = (check.pair(), RawSocket.listener())
        let silent = (0..<DescriptorLimit.room(for: 100)).map { _ in Descriptor.copy(of: pair.near) }
        let watched = silent + [listener.descriptor]
        check.afterLoops { for descriptor in watched { Descriptor.close(descriptor) } }
        for descriptor in watched { check.disposeAtEnd(try loop.watch(descriptor, for: .read) { _ in }) }
        try idle(check, loop, "with many silent watches and a listener, after a signal")
        loop.schedule(after: .seconds(10)) {}
        try idle(check, loop, "with many silent watches and a timer of 10 s")
    }

    /// Runs the loop while another thread sends ten signals to this thread, so that one of them interrupts a wait.
    private static func interrupt(_ check: Check, _ loop: any LoopScheduler) throws {
        check.disposeAtEnd(try loop.onSignal(.user1) {})
        let target = ProcessSignals.Thread.current
        let worker = check.thread(duringRunOf: loop) {
            for _ in 0..<10 {
                Platform.pause(.milliseconds(1))
                target.send(.user1)
            }
            loop.stop()
        }
        try check.step("runs while signals arrive", loop.run)
        worker.join()
    }

    /// Sets a timer of 1.2 s on a loop that owns its thread, and that otherwise only watches a silent and a full socket while
    /// the rule continues. Returns a closure that expects the timer. The machine may stop this process meanwhile, but hardly
    /// each time. The time is not a whole number of seconds, because a poller may round it.
    private static func longTimer(_ check: Check, attempts: Int = 3) throws -> () throws -> Void {
        let loop = try check.ownedLoop()
        let (silent, full, watches) = (check.pair(), check.pair(), Recorder<any DescriptorWatch>())
        Descriptor.fill(full.near)
        try check.sync(loop) {
            check.attempt {
                watches.append(try loop.watch(silent.near, for: .read) { _ in })
                watches.append(try loop.watch(full.near, for: .write) { _ in })
            }
        }
        let (due, lateness, fired) = (loop.now + .milliseconds(1200), Box(Duration.zero), Latch())
        _ = loop.schedule(at: due, options: TimerOptions()) {
            lateness.value = loop.now - due
            fired.arrive()
        }
        return {
            try check.wait(for: fired, "a timer of 1.2 s fires")
            try check.sync(loop) { for watch in watches.values { watch.dispose() } }
            let limit = Duration.milliseconds(100) * check.scale
            let seen = lateness.value
            if seen >= limit, attempts > 1 { return try longTimer(check, attempts: attempts - 1)() }
            check.expect(seen < limit, "a timer of 1.2 s is late by less than \(limit)", seen: "\(seen)")
        }
    }

    /// Closes two watched descriptors: one whose watch another thread has just disposed, and one whose watch still exists.
    /// Returns that watch.
    private static func closeWatched(_ check: Check, _ loop: any LoopScheduler) throws -> any DescriptorWatch {
        DescriptorLimit.raise()
        var watches: [(watch: any DescriptorWatch, number: Int32)] = []
        for _ in 0..<2 {
            let number = Descriptor.freeNumber()
            let far = Descriptor.socket(at: number)
            check.afterLoops { Descriptor.close(far) }
            watches.append((try loop.watch(number, for: .read) { _ in }, number))
        }
        let (disposed, stale) = (watches[0], watches[1])
        try check.turns(loop, 1)
        loop.execute {
            // The loop is in the middle of a turn, so it processes the disposal in a later turn.
            Worker { disposed.watch.dispose() }.join()
            for watch in [disposed, stale] { Descriptor.close(watch.number) }
        }
        try check.turns(loop, 2)
        return stale.watch
    }

    /// Closes a descriptor that is watched twice, and then disposes one of the watches, so that the kernel refuses a change of
    /// the interest. Returns the other watch.
    private static func closeBothWatched(_ check: Check, _ loop: any LoopScheduler) throws -> any DescriptorWatch {
        let number = Descriptor.freeNumber()
        let far = Descriptor.socket(at: number)
        check.afterLoops { Descriptor.close(far) }
        Descriptor.fill(number)
        let watches = try [loop.watch(number, for: .read) { _ in }, loop.watch(number, for: .write) { _ in }]
        try check.turns(loop, 1)
        Descriptor.close(number)
        watches[1].dispose()
        try check.turns(loop, 2)
        return watches[0]
    }

    static let n23 = Rule(
        "N23",
        "A watch with an empty interest costs nothing, even after a hang-up or an error; unknown readiness bits are ignored.",
        needs: [.realTime, .descriptors]
    ) { check, loop in
        for unknown: UInt8 in [4, 128, 252] {
            check.equal(Readiness(rawValue: unknown), [], "the readiness of the bits \(unknown)")
            check.equal(Readiness(rawValue: unknown | 1), .read, "the readiness of the bits \(unknown | 1)")
        }
        for nothing in [Readiness(), Readiness(rawValue: 4)] {
            for isLate in [false, true] {
                for (own, hangUp) in hangUps(check) {
                    let calls = Box(0)
                    let watch = try loop.watch(own, for: isLate ? [.read, .write] : nothing) { _ in calls.increment() }
                    hangUp()
                    if isLate {
                        try check.turns(loop, until: "a hang-up is reported") { calls.value > 0 }
                        try watch.setInterest(nothing)
                    }
                    let before = calls.value
                    try check.turns(loop, 3)
                    check.equal(calls.value, before, "calls of a watch with an empty interest")
                    check.disposeAtEnd(watch)
                }
            }
        }
        try idle(check, loop, "with watches of an empty interest whose peers have hung up")
    }

    /// Descriptors of several kinds, each with a closure that makes its peer hang up.
    private static func hangUps(_ check: Check) -> [(Int32, () -> Void)] {
        let (socket, reset, reading, writing) = (check.pair(), check.pair(), Descriptor.pipe(), Descriptor.pipe())
        check.afterLoops { for descriptor in [reading.reading, writing.writing] { Descriptor.close(descriptor) } }
        // The peer closes with unread bytes, which causes a reset.
        Descriptor.put("unread", to: reset.near)
        Descriptor.fill(writing.writing)
        return [
            (socket.near, { socket.closeFar() }),
            (reset.near, { reset.closeFar() }),
            (reading.reading, { Descriptor.close(reading.writing) }),
            (writing.writing, { Descriptor.close(writing.reading) }),
        ]
    }

    /// What a loop does while it has nothing to do.
    private struct Idleness: CustomStringConvertible {
        var turns: UInt64 = 0
        /// How often the loop's thread has waited. A poller may also wake and wait again inside of a turn.
        var waits = 0
        /// How often other threads have waited, such as one of the poller.
        var otherWaits = 0
        /// The processor time of all threads, because a poller may have threads. A check has its own process.
        var time = Duration.zero

        var description: String { "\(turns) turns, \(waits) waits, \(otherWaits) of other threads, \(time)" }
    }

    /// Runs the loop for a while, and checks the number of turns and waits, and the processor time. A slow machine has
    /// fewer of them, not more. The best of three tries counts, because a thread also waits for memory, for example.
    ///
    /// - Parameters:
    ///   - prepare: Called before each try.
    ///   - isExcused: Returns whether the loop has had a reason not to sleep.
    static func idle(
        _ check: Check,
        _ loop: any LoopScheduler,
        _ what: String,
        for time: Duration = .milliseconds(250),
        beforeEach prepare: () -> Void = {},
        _ isExcused: () -> Bool = { false }
    ) throws {
        // After a failure, more tries would only take time.
        if check.failure != nil { return }
        check.note("runs for \(time), \(what)")
        // An idle loop uses less than a millisecond of processor time. A spinning loop uses all that it gets, which is a
        // tenth on a busy machine. The time scale must not permit it more than a quarter of the time.
        let limit = min(Duration.milliseconds(15) * check.scale, time * 6 / 25)
        // An idle loop waits two or three times. On a simulated machine its thread also waits for other simulated threads.
        let waits = Platform.simulated == nil ? 6 : 20
        var seen = Idleness()
        for _ in 0..<3 {
            prepare()
            seen = try measure(check, loop, time)
            let isIdle = seen.turns <= 20 && seen.waits <= waits && seen.otherWaits <= 20 && seen.time < limit
            if isIdle || isExcused() { return }
        }
        let most = "at most 20 turns, 20 waits of other threads, \(waits) waits and \(limit)"
        check.fail(expected: "\(most) in \(time), \(what)", seen: "\(seen)")
    }

    /// Another thread ends the run, because a timer would change the loop: a poller may wait for a deadline in another way
    /// than for events alone.
    private static func measure(_ check: Check, _ loop: any LoopScheduler, _ time: Duration) throws -> Idleness {
        let turns = Recorder<UInt64>()
        loop.execute { turns.append(loop.turn) }
        let worker = check.thread(duringRunOf: loop) {
            Platform.pause(time)
            loop.execute {
                turns.append(loop.turn)
                loop.stop()
            }
        }
        let (waits, allWaits, start) = (Platform.threadWaits, Platform.processWaits, Platform.processTime)
        try loop.run()
        let own = Platform.threadWaits - waits
        let idleness = Idleness(
            turns: turns.span,
            waits: own,
            // The threads of a simulation wait for each other.
            otherWaits: Platform.simulated == nil ? Platform.processWaits - allWaits - own : 0,
            time: Platform.processTime - start
        )
        worker.join()
        return idleness
    }
}
