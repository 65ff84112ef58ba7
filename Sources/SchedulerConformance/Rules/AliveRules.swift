// SPDX-License-Identifier: MIT
import ReactiveCore

/// K1–K3: what keeps `runUntilIdle` from returning.
enum AliveRules {
    static let all = [k1, k2, k3]

    static let k1 = Rule(
        "K1",
        "A watch, timer or signal handler keeps the loop alive exactly while `keepsLoopAlive` is true; setting it again does nothing.",
        .optional,
        needs: [.processSignals]
    ) { check, loop, pair in
        let calls = Box(0)
        let reading = try loop.watch(pair.near, for: .read) { _ in
            calls.increment()
            Descriptor.take(from: pair.near)
        }
        let writing = try loop.watch(pair.near, for: []) { _ in }
        let signal = try loop.onSignal(.windowChange) {}
        let options = TimerOptions(keepsLoopAlive: false)
        let timer = loop.schedule(at: loop.now + .seconds(3600), options: options) {}
        check.expect(
            reading.keepsLoopAlive && writing.keepsLoopAlive,
            "a watch keeps its loop alive by default"
        )
        check.expect(!signal.keepsLoopAlive, "a signal handler does not keep its loop alive by default")
        for _ in 0..<2 {
            reading.keepsLoopAlive = false
            writing.keepsLoopAlive = false
            signal.keepsLoopAlive = false
        }
        try check.step("runUntilIdle, with handles that do not keep the loop alive", loop.runUntilIdle)
        for handle in [reading, writing, signal] as [any LoopHandle] {
            handle.keepsLoopAlive = true
            handle.keepsLoopAlive = true
            let ended = Box(false)
            let end = TimerOptions(keepsLoopAlive: false)
            _ = loop.schedule(at: loop.now + .milliseconds(2), options: end) {
                ended.value = true
                handle.keepsLoopAlive = false
            }
            try check.step("runUntilIdle, with a handle that keeps the loop alive for 2 ms", loop.runUntilIdle)
            check.expect(ended.value, "the handle keeps the loop alive until `keepsLoopAlive` is false")
        }
        // A timer's handle has the property too.
        if let handle = timer as? any LoopHandle {
            handle.keepsLoopAlive = true
            loop.schedule(after: .milliseconds(1)) { handle.keepsLoopAlive = false }
            try check.step("runUntilIdle, with a timer that keeps the loop alive for 1 ms", loop.runUntilIdle)
            check.expect(!handle.isDisposed, "the timer is still pending")
        }
        timer.dispose()
        // The loop has not taken this timer from its inbox yet.
        let posted = loop.schedule(at: loop.now + .seconds(3600), options: options) {}
        (posted as? any LoopHandle)?.keepsLoopAlive = true
        posted.dispose()
        check.equal(calls.value, 0, "calls of a silent watch")
        // Shows that the watch was not dead.
        Descriptor.put("x", to: pair.far)
        try check.turns(loop, until: "the watch is called") { calls.value == 1 }
        for handle in [reading, writing, signal] as [any LoopHandle] { handle.dispose() }
        try check.step("runUntilIdle, with handles that are disposed", loop.runUntilIdle)
    }

    static let k2 = Rule(
        "K2",
        "Watches, timers and handlers that do not keep the loop alive are still called while something else keeps it alive.",
        .optional
    ) { check, loop, pair in
        let trace = Recorder<String>()
        let watch = try loop.watch(pair.near, for: .write) { _ in
            if trace.count == 0 { trace.append("ready") }
        }
        watch.keepsLoopAlive = false
        _ = loop.schedule(at: loop.now + .milliseconds(1), options: TimerOptions(keepsLoopAlive: false)) {
            trace.append("timer")
        }
        loop.schedule(after: .milliseconds(5)) { trace.append("end") }
        // Virtual time needs a turn in which nothing is ready.
        loop.schedule(after: .zero) { check.attempt { if trace.count > 0 { try watch.setInterest([]) } } }
        try loop.runUntilIdle()
        check.equal(trace.values, ["ready", "timer", "end"], "callbacks")
        watch.dispose()
    }

    static let k3 = Rule(
        "K3",
        "The loop's own descriptors, for waking and waiting, do not keep it alive."
    ) { check, loop in
        try check.step("runUntilIdle of a new loop", loop.runUntilIdle)
        check.thread { loop.execute {} }.join()
        try check.step("runUntilIdle after another thread has submitted work", loop.runUntilIdle)
        // A back end creates a descriptor for its first deadline.
        loop.schedule(after: .milliseconds(1)) {}
        try loop.runUntilIdle()
        try check.step("runUntilIdle after a timer", loop.runUntilIdle)
    }
}
