// SPDX-License-Identifier: MIT
import ConformanceLoops
import Glibc
import ReactiveCore
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine

/// Rules that fail in every possible way, for the tests of the kit itself.
@main
enum Fixture {
    static func main() { Conformance.main([plain, deviating, lacking], rules: rules) }

    static let plain = ConformanceLoops.dispatch

    /// Declares deviations from a rule that holds and from rules that do not.
    static let deviating: LoopDescription = {
        var loop = LoopDescription("deviating", make: plain.make)
        loop.deviations = ["A1": "it is old", "A2": "it is new", "A3": "it is slow", "A4": "it is frail"]
        return loop
    }()

    static let lacking: LoopDescription = {
        var loop = LoopDescription("lacking", make: plain.make)
        loop.absent = [.descriptors: "it has none"]
        return loop
    }()

    static let rules: [Rule] = [
        Rule("A1", "Holds.") { check in _ = try check.loop() },
        Rule("A2", "Does not hold.") { check in
            check.note("first")
            check.note("second")
            check.expect(false, "something", seen: "something else")
            check.note("third")
            check.expect(false, "more")
        },
        Rule("A3", "Hangs.", limit: .seconds(4)) { check in
            let loop = try check.loop()
            check.note("runs a loop without a stop")
            try loop.run()
        },
        Rule("A4", "Crashes.") { _ in fatalError("on purpose") },
        Rule("A5", "Throws.") { _ in throw LoopError(.systemCall, errno: 5, "on purpose") },
        Rule("A6", "Needs descriptors.", needs: [.descriptors]) { _ in },
        Rule("A7", "Cannot be checked, which is undeclared.") { _ in throw LoopError(.unavailable, "not built in") },
        Rule("A8", "Runs on the main thread.", on: .mainThread) { check in
            check.expect(Platform.isMainThread, "the main thread")
        },
        Rule("A9", "Hangs so that the process cannot report anything.", limit: .seconds(4)) { _ in
            kill(getpid(), SIGSTOP)
        },
        Rule("B1", "Leaves a descriptor.") { _ in _ = open("/dev/null", O_RDONLY) },
        Rule("B2", "Leaves a closure.") { _ in
            let kept = Box<[@Sendable () -> Void]>([])
            kept.value = [{ _ = kept.value }]
        },
        Rule("B3", "Leaves a loop.") { check in
            let loop = try check.loop()
            let kept = Kept()
            kept.loop = loop
            kept.itself = kept
        },
        Rule("B4", "Leaves a thread.") { check in
            // A loop that owns its thread lives until it is disposed.
            _ = try check.description.make("kit-loop-lost", true)
        },
        Rule("B5", "Opens a descriptor once, which is not a leak.") { _ in _ = Once.descriptor },
        Rule("C1", "X10 fails if another thread of the process spins.") { check in
            let isOver = Box(false)
            let worker = Worker { while !isOver.value {} }
            defer {
                isOver.value = true
                worker.join()
            }
            try expectFailure(of: "X10", "in a new loop", plain, check)
        },
        faulty("C2", RestlessBeforeDeadline.self, "X10", "in a new loop", scale: 20),
        faulty("C3", RestlessWithFirstWatch.self, "X10", "with a silent watch, before any timer"),
        faulty("C4", RestlessAfterHop.self, "X10", "after work from another thread"),
        faulty("C5", RestlessAfterEvent.self, "X10", "with a silent watch that has been called"),
        faulty("C6", RestlessForWriting.self, "X10", "with full sockets watched for writing"),
        faulty("C7", SlowlyRestless.self, "X10", "6 waits"),
        faulty("C8", FewBeforeDeadline.self, "S9", "24 of 24 calls in turn 0"),
        faulty("C9", FewBeforeDeadline.self, "N2", "the sockets whose watches are called"),
        faulty("E1", NeverNarrows.self, "X10", "narrowed to reading"),
        faulty("E2", KeepsClosedNumbers.self, "X10", "after watched descriptors were closed"),
        faulty("E3", ReportsClosedNumbers.self, "X10", "after watched descriptors were closed"),
        faulty("E4", SpinsElsewhere.self, "X10", "in a new loop"),
        faulty("E5", LateIfLong.self, "X10", "a timer of 1.2 s is late"),
        faulty("E6", DeafElsewhere.self, "N2", "on another thread"),
        faulty("E7", BlocksSignals.self, "G6", "a signal is handled while"),
        faulty("E8", FailsInThePast.self, "R8", "no error"),
        faulty("E9", OverflowsInAMonth.self, "X10", "with a timer of 30 days"),
        faulty("F1", EdgeTriggeredPipes.self, "N1", "unread bytes in a pipe"),
        faulty("F2", IgnoresSocketErrors.self, "N1", "refused datagram is reported", scale: 0.2),
        faulty("F3", IgnoresRemoval.self, "X10", "without timers and watches"),
        faulty("F4", AlwaysReads.self, "X10", "with full sockets watched for writing"),
        faulty("F5", ReportsEndOfSending.self, "X10", "with full sockets watched for writing"),
        faulty("F6", RestartsWaits.self, "G6", "fires within"),
        faulty("F7", RestlessWithMany.self, "X10", "with many silent watches and a listener"),
        faulty("F8", RestlessAfterSignal.self, "X10", "with many silent watches and a listener"),
        faulty("F9", RestlessWithListener.self, "X10", "with many silent watches and a listener"),
        faulty("H1", RestlessForTwoWriters.self, "X10", "with full sockets watched for writing"),
        faulty("H2", RestlessForMinutes.self, "X10", "with many silent watches and a timer of 10 s"),
        faulty("H3", LateByAQuarter.self, "X10", "a timer of 1.2 s is late"),
        faulty("H4", IgnoresHangUpsAsleep.self, "N1", "a turn that may wait reports", scale: 0.2),
        faulty("H5", LeaksThreads.self, "Z4", "fewer than 50 more threads", scale: 0.2),
        faulty("H6", EdgeTriggeredTerminals.self, "N1", "an unread line in a terminal"),
        faulty("H7", BlocksTermination.self, "G6", "a thread that waits blocks SIGUSR2"),
        faulty("H8", SpinsBeforeDeadlines.self, "T18", "twenty timers of 10 ms"),
        faulty("H9", SpinsForBoth.self, "X10", "with full sockets watched for writing"),
        faulty("I1", ForgetsUnchanged.self, "N3", "calls of two watches of one descriptor"),
        faulty("I2", SpinsForBoth.self, "N28", "waits and", scale: 0.2),
        faulty("I3", EdgeTriggeredTerminals.self, "N28", "of a terminal watched for"),
        faulty("I4", NeverNarrows.self, "N28", "waits and", scale: 0.2),
        faulty("I5", EdgeTriggeredPipes.self, "N28", "of a pipeReader watched for"),
        faulty("J1", StartsRestlessThread.self, "X10", "in a new loop"),
        faulty("J2", UnblocksSignals.self, "G6", "a thread that waits blocks SIGUSR2"),
        faulty("J3", DeafToZero.self, "N1", "data of descriptor 0", scale: 0.2),
        faulty("J4", SetsFlags.self, "N1", "the flags of a watched descriptor"),
        faulty("J5", ClosesZero.self, "Z4", "the loops close no descriptor of others"),
        faulty("K1", SlicesWaits.self, "X10", "a timer of 1.2 s is late"),
        faulty("K2", SlicesWaits.self, "N28", "a timer of 10 ms is late by less than"),
        faulty("K3", KeepsRefused.self, "N21", "after watches were refused"),
        faulty("K4", SpinsBesideWatches.self, "T18", "beside a silent watch", scale: 0.2),
        faulty("K5", DeafBeforeDeadlines.self, "N1", "an event ends a wait before a timer of 0.5 s"),
        faulty("L1", RestlessWithHundreds.self, "N2", "silent watches"),
        faulty("L2", KeepsRefusedChanges.self, "X10", "after watched descriptors were closed"),
        faulty("L3", DeafBeforeShortDeadlines.self, "N1", "an event ends a wait before a timer of 0.3 s"),
        faulty("L4", StopsAtDeadline.self, "S9", "24 of 24 calls in turn 0"),
        faulty("D1", DeafToHighNumbers.self, "S9", "24 of 24 calls in turn 0"),
        faulty("D2", DeafToHighNumbers.self, "N2", "the sockets whose watches are called"),
        faulty("D3", DeafAfterThousand.self, "N2", "called watches of 1100"),
        faulty("D4", RefusesAfterThousand.self, "N2", "no error"),
    ]

    /// A rule that holds if another rule fails on a faulty poller with a message that contains `expected`.
    private static func faulty<Fault: PollerFault>(
        _ id: String,
        _ fault: Fault.Type,
        _ other: String,
        _ expected: String,
        scale: Double = 1
    ) -> Rule {
        Rule(id, "\(other) fails on the poller \(fault).") { check in
            let loop = ConformanceLoops.description("faulty", of: PollerLoop<FaultyPoller<Fault>>.self)
            try expectFailure(of: other, expected, loop, scale: scale, check)
        }
    }

    /// Expects that a rule fails on the loop, with a message that contains `expected`.
    private static func expectFailure(
        of id: String,
        _ expected: String,
        _ loop: LoopDescription,
        scale: Double = 1,
        _ check: Check
    ) throws {
        guard let rule = Rule.all.first(where: { $0.id == id }) else {
            return check.fail(expected: "a rule \(id)", seen: "none")
        }
        var seen = ""
        // A rule with random programs finds a fault with most seeds, not with each.
        for seed: UInt64 in 1...8 where !seen.contains(expected) {
            let inner = Check(loop, seed: seed, scale: scale)
            inner.attempt { try rule.check(inner) }
            _ = inner.finish()
            seen = inner.failure?.expected ?? "no failure"
        }
        check.expect(seen.contains(expected), "\(id) fails with: \(expected)", seen: seen)
    }
}

/// A reference cycle that also holds a loop.
private final class Kept: @unchecked Sendable {
    var loop: (any LoopScheduler)?
    var itself: Kept?
}

private enum Once {
    static let descriptor = open("/dev/zero", O_RDONLY)
}
