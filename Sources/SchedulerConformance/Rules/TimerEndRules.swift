// SPDX-License-Identifier: MIT
import ReactiveCore

/// T8–T11, T25: timers that the loop's thread cancels.
enum TimerEndRules {
    static let all = [t8, t9, t10, t11, t25]

    static let t8 = Rule(
        "T8",
        "A timer that is cancelled before it is due never fires, and its closure is released at once.",
        needs: [.timeInWork]
    ) { check in
        for isRepeating in [false, true] {
            let loop = try check.loop()
            let (gone, fired) = (Box(0), Box(0))
            @Sendable func make() -> any Disposable {
                let work = Canary.closure(countedBy: gone) { fired.increment() }
                let first = loop.now + .milliseconds(20)
                return isRepeating
                    ? loop.schedule(at: first, repeating: .fixedRate(.seconds(1)), options: TimerOptions(), work)
                    : loop.schedule(at: first, options: TimerOptions(), work)
            }
            let kind = isRepeating ? "a repeating timer" : "a timer"
            // Cancelled before the loop has taken the timer, then after that, then by work on the loop.
            make().dispose()
            check.equal(gone.value, 1, "released closures of \(kind) that the loop had not taken yet")
            // If the machine pauses for 20 ms in between, the timer may fire. Such an attempt does not count.
            var known = make()
            var before = 0
            try check.turns(loop, 1)
            while fired.value > before {
                known.dispose()
                before = fired.value
                known = make()
                try check.turns(loop, 1)
            }
            let had = gone.value
            known.dispose()
            check.equal(gone.value, had + 1, "released closures of \(kind) that the loop had taken")
            loop.execute {
                make().dispose()
                check.equal(gone.value, had + 2, "released closures of \(kind) cancelled on the loop")
            }
            try loop.runUntilIdle()
            check.spend(.milliseconds(25), on: loop)
            try check.turns(loop, 2)
            check.equal(fired.value, before, "firings after \(kind) was cancelled")
        }
    }

    static let t9 = Rule(
        "T9",
        "A timer may cancel itself in its own callback: a repeating one stops, and other timers continue."
    ) { check, loop in
        let trace = Recorder<String>()
        let once = Box<(any Disposable)?>(nil)
        let often = Box<(any Disposable)?>(nil)
        once.value = loop.schedule(after: .zero) {
            trace.append("once")
            once.value?.dispose()
        }
        often.value = loop.schedule(every: .milliseconds(1)) {
            trace.append("often")
            if trace.values.count(where: { $0 == "often" }) == 3 {
                // This deadline is later than that of the next firing, so this timer fires later even if both are late.
                loop.schedule(after: .milliseconds(10)) { trace.append("other") }
                often.value?.dispose()
            }
            if trace.count > 1000 { loop.stop() }
        }
        try loop.runUntilIdle()
        // On a busy machine the other callbacks may run in any order, because one firing replaces all missed ones.
        check.equal(trace.values.sorted(), ["often", "often", "often", "once", "other"], "callbacks")
        check.expect(often.value?.isDisposed == true && once.value?.isDisposed == true, "both timers are disposed")
    }

    static let t10 = Rule(
        "T10",
        "Cancelling a timer late, twice, or after its loop has been disposed does nothing."
    ) { check, loop in
        let fired = loop.schedule(after: .zero) {}
        let pending = loop.schedule(after: .seconds(60)) {}
        let left = loop.schedule(every: .seconds(60)) {}
        try check.turns(loop, 1)
        check.expect(fired.isDisposed, "a timer that has fired is disposed")
        check.expect(!pending.isDisposed, "a pending timer is not disposed")
        for timer in [fired, pending, pending] { timer.dispose() }
        loop.dispose()
        check.expect(left.isDisposed, "disposing a loop disposes its timers")
        for timer in [fired, pending, left] { timer.dispose() }
    }

    static let t11 = Rule(
        "T11",
        "A timer that another timer's callback cancels does not fire, even if both were due."
    ) { check, loop in
        let deadline = loop.now
        let victims = Box<[any Disposable]>([])
        let first = Box(0)
        _ = loop.schedule(at: deadline, options: TimerOptions()) {
            first.increment()
            for victim in victims.value { victim.dispose() }
        }
        let fired: @Sendable () -> Void = { check.fail(expected: "a cancelled timer does not fire", seen: "it fired") }
        victims.value = [
            loop.schedule(at: deadline, options: TimerOptions(), fired),
            loop.schedule(at: deadline, repeating: .fixedRate(.zero), options: TimerOptions(), fired),
        ]
        try check.turns(loop, 3)
        try loop.runUntilIdle()
        check.equal(first.value, 1, "firings of the timer that cancels the others")
    }

    static let t25 = Rule(
        "T25",
        "Cancelling the last timer, on the loop or from another thread, lets `runUntilIdle` return."
    ) { check, loop in
        let timer = loop.schedule(after: .seconds(3600)) {}
        loop.execute { timer.dispose() }
        try check.step("runUntilIdle, with one timer of an hour that work cancels", loop.runUntilIdle)
        guard check.has(.realTime) else { return }

        let other = loop.schedule(every: .seconds(3600)) {}
        let thread = check.thread(duringRunOf: loop) { other.dispose() }
        try check.step("runUntilIdle, with one hourly timer that another thread cancels", loop.runUntilIdle)
        thread.join()
    }
}
