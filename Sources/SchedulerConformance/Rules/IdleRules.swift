// SPDX-License-Identifier: MIT
import ReactiveCore

/// X10 and N23: the costs of an idle loop.
enum IdleRules {
    static let all = [x10, n23]

    static let x10 = Rule(
        "X10",
        "An idle loop sleeps: it takes at most 20 turns in 300 ms, and uses little processor time.",
        needs: [.realTime, .descriptors]
    ) { check in
        let loop = try check.loop()
        let pair = check.pair()
        let far = loop.schedule(after: .seconds(3600)) {}
        let calls = Box(0)
        let watch = try loop.watch(pair.near, for: .read) { _ in
            calls.increment()
            Descriptor.take(from: pair.near)
        }
        try idle(check, loop, "with a silent watch and a timer of an hour")
        far.dispose()
        try idle(check, loop, "with a silent watch")
        check.equal(calls.value, 0, "calls of a silent watch")
        // Shows that the watch was not dead.
        Descriptor.put("x", to: pair.far)
        try check.turns(loop, until: "the watch is called") { calls.value == 1 }
        watch.dispose()
        try idle(check, loop, "without timers and watches")
    }

    static let n23 = Rule(
        "N23",
        "A watch with an empty interest costs nothing, even after a hang-up or an error; unknown readiness bits are ignored.",
        needs: [.realTime, .descriptors]
    ) { check in
        let loop = try check.loop()
        for unknown: UInt8 in [4, 128, 252] {
            check.equal(Readiness(rawValue: unknown), [], "the readiness of the bits \(unknown)")
            check.equal(Readiness(rawValue: unknown | 1), .read, "the readiness of the bits \(unknown | 1)")
        }
        var watches: [any DescriptorWatch] = []
        var open: [Int32] = []
        for nothing in [Readiness(), Readiness(rawValue: 4)] {
            for isLate in [false, true] {
                for (own, hangUp) in hangUps() {
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
                    watches.append(watch)
                    open.append(own)
                }
            }
        }
        try idle(check, loop, "with watches of an empty interest whose peers have hung up")
        for watch in watches { watch.dispose() }
        for descriptor in open { Descriptor.close(descriptor) }
    }

    /// Descriptors of several kinds, each with a closure that makes its peer hang up.
    private static func hangUps() -> [(Int32, () -> Void)] {
        let (socket, reset, reading, writing) =
            (Descriptor.sockets(), Descriptor.sockets(), Descriptor.pipe(), Descriptor.pipe())
        // The peer closes with unread bytes, which causes a reset.
        Descriptor.put("unread", to: reset.0)
        Descriptor.fill(writing.writing)
        return [
            (socket.0, { Descriptor.close(socket.1) }),
            (reset.0, { Descriptor.close(reset.1) }),
            (reading.reading, { Descriptor.close(reading.writing) }),
            (writing.writing, { Descriptor.close(writing.reading) }),
        ]
    }

    /// Runs the loop for 300 ms, and checks the number of turns and the processor time. A slow machine runs fewer
    /// turns, not more.
    private static func idle(_ check: Check, _ loop: any LoopScheduler, _ what: String) throws {
        let turns = Recorder<UInt64>()
        let used = Box<Duration>(.zero)
        loop.execute {
            turns.append(loop.turn)
            let begin = Machine.threadTime
            loop.schedule(after: .milliseconds(300)) {
                used.value = Machine.threadTime - begin
                turns.append(loop.turn)
                loop.stop()
            }
        }
        check.note("runs for 300 ms, \(what)")
        try loop.run()
        let taken = (turns.values.last ?? 0) - (turns.values.first ?? 0)
        check.expect(taken <= 20, "at most 20 turns in 300 ms, \(what)", seen: "\(taken)")
        // An idle loop uses less than a millisecond of processor time. A spinning loop uses all available processor
        // time.
        let limit = Duration.milliseconds(75) * check.scale
        check.expect(used.value < limit, "less than 75 ms of processor time, \(what)", seen: "\(used.value)")
    }
}
