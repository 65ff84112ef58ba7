// SPDX-License-Identifier: MIT
import ReactiveCore
import Synchronization

/// T12, T26, T27: callbacks that another thread cancels while the loop may be about to call them.
enum CancellationRules {
    static let all = [t12, t26, t27]

    static let t12 = Rule(
        "T12",
        "After another thread has cancelled a timer, only the loop's next callback may still be a firing of that timer.",
        needs: [.ownThread]
    ) { check, loop in
        for isRepeating in [false, true] {
            try CancelRace.run(check, loop, rounds: check.isLong ? 2000 : 200) { _, call in
                let due = loop.now + .microseconds(50)
                return isRepeating
                    ? loop.schedule(at: due, repeating: .fixedRate(.zero), options: TimerOptions(), call)
                    : loop.schedule(at: due, options: TimerOptions(), call)
            }
        }
        guard check.has(.realTime) else { return }
        // A timer that becomes due while the loop is busy, and is cancelled before the loop reaches it.
        for isRepeating in [false, true] {
            let overdue = Box(0)
            let due = loop.now + .milliseconds(20)
            let timer =
                isRepeating
                ? loop.schedule(at: due, repeating: .fixedRate(.seconds(60)), options: TimerOptions()) {
                    overdue.increment()
                }
                : loop.schedule(at: due, options: TimerOptions()) { overdue.increment() }
            let goOn = try check.occupy(loop)
            check.spend(.milliseconds(25), on: loop)
            timer.dispose()
            let begun = overdue.value
            goOn.arrive()
            try check.sync(loop)
            check.equal(overdue.value, begun, "firings of a timer cancelled while the loop was busy")
        }
        // Two timers that are cancelled long before they are due never fire. The test is repeated if the machine
        // paused.
        var isFar = false
        while !isFar {
            let (late, set) = (Box(0), loop.now)
            for _ in 0..<2 { loop.schedule(after: .milliseconds(20)) { late.increment() }.dispose() }
            isFar = loop.now - set < .milliseconds(20)
            if !isFar { check.note("the machine paused for 20 ms: tries again") }
            let after = Latch()
            loop.schedule(after: .milliseconds(25)) { after.arrive() }
            try check.wait(for: after, "a timer of 25 ms fires")
            if isFar { check.equal(late.value, 0, "firings of timers cancelled long before they were due") }
        }
    }

    static let t26 = Rule(
        "T26",
        "Work that a thread submits after it has cancelled a timer runs after the timer's last firing has returned.",
        needs: [.ownThread]
    ) { check, loop in
        let gone = Box(0)
        let rounds = check.rounds(check.isLong ? 20_000 : 1000)
        for round in 0..<rounds {
            let fired = Box(0)
            let delay = Duration.microseconds(round % 60)
            let work = Canary.closure(countedBy: gone) { fired.increment() }
            let timer =
                round.isMultiple(of: 2) ? loop.schedule(after: delay, work) : loop.schedule(every: delay, work)
            check.spend(.microseconds(round % 50), on: loop)
            timer.dispose()
            check.expect(timer.isDisposed, "the timer is disposed")
            let last = Box(0)
            try check.sync(loop) { last.value = fired.value }
            if round.isMultiple(of: 2) {
                check.expect(last.value <= 1, "at most one firing", seen: "\(last.value) firings")
            }
            try check.sync(loop)
            check.equal(
                fired.value,
                last.value,
                "firings in total, of which none after the work ran, in round \(round)"
            )
        }
        try check.sync(loop)
        check.equal(gone.value, rounds, "released closures")
    }

    static let t27 = Rule(
        "T27",
        "Rule T12 also holds for work with a handle, for watches and for handlers of process signals.",
        needs: [.ownThread, .descriptors]
    ) { check, loop in
        let rounds = check.isLong ? 1000 : 100
        try CancelRace.run(check, loop, rounds: rounds) { _, call in loop.schedule(call) }
        let pairs = (0..<CancelRace.size).map { _ in check.pair() }
        try CancelRace.run(check, loop, rounds: rounds) { index, call in
            try loop.watch(pairs[index].near, for: .write) { _ in call() }
        }
        guard check.has(.processSignals) else { return }
        try CancelRace.run(check, loop, rounds: rounds, begin: { ProcessSignals.raise(.user1) }) { _, call in
            try loop.onSignal(.user1, call)
        }
    }
}

/// A few callbacks of one loop. This thread cancels them while the loop calls them, one after the other.
///
/// Before a callback returns, it records which other callbacks have been cancelled. If the loop calls one of those
/// later, it has violated the rule. The cancelling thread cancels all handles without a break. So the check detects a
/// loop that stops calling a cancelled callback one callback too late.
private final class CancelRace: Sendable {
    static let size = 16

    private struct Entry: ~Copyable {
        let isCancelled = Atomic<Bool>(false)
        /// Only the loop's callbacks access it.
        let wasSeen = Atomic<Bool>(false)
    }

    private final class Callback: Sendable { let entry = Entry() }

    private let callbacks = (0..<size).map { _ in Callback() }
    private let hasBegun = Atomic<Bool>(false)
    private let isCancelling = Atomic<Bool>(false)

    static func run(
        _ check: Check,
        _ loop: any LoopScheduler,
        rounds: Int,
        begin: () -> Void = {},
        _ make: @escaping @Sendable (Int, @escaping @Sendable () -> Void) throws -> any Disposable
    ) throws {
        var random = check.random()
        for _ in 0..<check.rounds(rounds) {
            let (race, handles) = (CancelRace(), Box<[any Disposable]>([]))
            try check.sync(loop) {
                check.attempt {
                    for index in 0..<size {
                        let handle = try make(index) { race.called(index, check, loop) }
                        handles.update { handles in handles.append(handle) }
                    }
                }
            }
            begin()
            try race.cancel(handles.value, in: (0..<size).shuffled(using: &random), check)
            try check.sync(loop)
        }
    }

    private func called(_ index: Int, _ check: Check, _ loop: any LoopScheduler) {
        hasBegun.store(true, ordering: .releasing)
        // The first callback gives the other thread time to wake. The others race with that thread.
        let limit = Platform.now + .milliseconds(1)
        while !isCancelling.load(ordering: .acquiring), Platform.now < limit {}
        check.expect(
            !callbacks[index].entry.wasSeen.load(ordering: .relaxed),
            "no call after an earlier callback of the loop has recorded the cancellation",
            seen: "a call of callback \(index)"
        )
        // Takes some time, so that some callbacks are cancelled before they are due.
        check.spend(.microseconds(2), on: loop)
        for callback in callbacks where callback.entry.isCancelled.load(ordering: .acquiring) {
            callback.entry.wasSeen.store(true, ordering: .relaxed)
        }
    }

    private func cancel(_ handles: [any Disposable], in order: [Int], _ check: Check) throws {
        isCancelling.store(true, ordering: .releasing)
        let limit = Platform.now + check.patience
        while !hasBegun.load(ordering: .acquiring) {
            if Platform.now > limit { throw Broken("the first of \(handles.count) callbacks runs", "none ran") }
        }
        for index in order where index < handles.count {
            handles[index].dispose()
            callbacks[index].entry.isCancelled.store(true, ordering: .releasing)
        }
    }
}
