// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

/// L1–L8: laws of signals that a loop can break.
enum SignalLawRules {
    static let all = [l1, l2, l3, l4, l5, l6, l7, l8]

    static let l1 = Rule(
        "L1",
        "A hop by `observe(on:)` keeps order and count, and delivers on its loop, the termination last (laws 1, 7, 9).",
        needs: [.ownThread]
    ) { check, loop in
        let subject = Subject<Int, Broken>()
        let seen = Recorder<Int>()
        let over = Latch()
        subject.signal.observe(on: loop).subscribe(
            onValue: { value in
                check.expect(loop.isCurrent, "the value is delivered on the loop")
                seen.append(value)
            },
            onTermination: { termination in
                check.expect(loop.isCurrent, "the termination is delivered on the loop")
                if case .completed = termination { check.fail(expected: "a failure", seen: "completion") }
                over.arrive()
            }
        )
        for value in 0..<10_000 { subject.send(value) }
        subject.fail(Broken("", ""))
        try check.wait(for: over, "the termination arrives")
        check.equal(seen.values, Array(0..<10_000), "values that arrived before the termination")
    }

    static let l2 = Rule(
        "L2",
        "A hop is bounded: at the limit it pauses a source that can wait, and resumes it when the loop has caught up (law 7)."
    ) { check in
        for limit in [1, 10, 256] {
            let loop = try check.loop()
            let (sent, seen) = (Box(0), Box(0))
            let over = Box(false)
            let source = Signal<Int, Never>(values: 0..<5000).handleEvents(onValue: { _ in sent.increment() })
            source.observe(on: loop, limit: limit).subscribe(
                onValue: { value in
                    check.equal(value, seen.increment() - 1, "the next value")
                    check.expect(sent.value - seen.value, "at most \(limit) values wait") { $0 <= limit }
                },
                onTermination: { _ in over.value = true }
            )
            check.equal(sent.value, limit, "values sent before the loop runs")
            try loop.runUntilIdle()
            check.equal(seen.value, 5000, "values that arrived")
            check.expect(over.value, "the termination arrived")
        }
        for (policy, kept) in [(OverflowPolicy.dropOldest, [7, 8, 9]), (.dropNewest, [0, 1, 2])] {
            let loop = try check.loop()
            let seen = Recorder<Int>()
            Signal<Int, Never>(values: 0..<10).observe(on: loop, limit: 3, whenFull: policy)
                .subscribe(onValue: { seen.append($0) })
            try loop.runUntilIdle()
            check.equal(seen.values, kept, "values of ten that a hop with \(policy) and a limit of 3 delivers")
        }
    }

    static let l3 = Rule(
        "L3",
        "After a pause on the loop, no value passes a hop; the rest and the termination follow the resume, in order (law 11)."
    ) { check, loop in
        let seen = Recorder<Int>()
        let (over, hold) = (Box(false), Box<(any Disposable)?>(nil))
        let subscription = SignalSubscription()
        Signal<Int, Never>(values: 0..<100).observe(on: loop).subscribe(
            in: subscription,
            onValue: { value in
                seen.append(value)
                if value == 10 { hold.value = subscription.pause() }
            },
            onTermination: { _ in over.value = true }
        )
        try check.turns(loop, 20)
        check.equal(seen.values, Array(0...10), "values until the pause in the callback")
        check.expect(!over.value, "the termination waits behind the paused values")
        hold.value?.dispose()
        hold.value = nil
        try check.turns(loop, until: "the termination arrives") { over.value }
        check.equal(seen.values, Array(0..<100), "values in total")
    }

    static let l4 = Rule(
        "L4",
        "After `dispose` on the loop nothing more is delivered there, even if values wait in the hop (law 1)."
    ) { check, loop in
        let (seen, released) = (Recorder<Int>(), Box(0))
        func begin() -> SignalSubscription {
            let canary = Canary { released.increment() }
            let subscription = SignalSubscription()
            Signal<Int, Never>(values: 0..<100).observe(on: loop).subscribe(
                in: subscription,
                onValue: { value in
                    canary.sing()
                    seen.append(value)
                    if value == 10 { subscription.dispose() }
                },
                onTermination: { _ in check.fail(expected: "no event after dispose", seen: "the termination") }
            )
            return subscription
        }
        let subscription = begin()
        try loop.runUntilIdle()
        check.equal(seen.values, Array(0...10), "values until the disposal in the callback")
        check.expect(subscription.isDisposed, "the subscription is disposed")
        check.equal(released.value, 1, "released observers")
    }

    static let l5 = Rule(
        "L5",
        "`subscribe(on:)` starts the source as work of the loop; if it is disposed before that, the source does not start."
    ) { check, loop in
        let starts = Box(0)
        let source = Signal<Int, Never> { emitter, _ in
            check.expect(loop.isCurrent, "the source starts on the loop")
            starts.increment()
            emitter.complete()
        }
        source.subscribe(on: loop).subscribe(onValue: { _ in })
        source.subscribe(on: loop).subscribe(onValue: { _ in }).dispose()
        check.equal(starts.value, 0, "starts before the loop runs")
        try loop.runUntilIdle()
        check.equal(starts.value, 1, "starts after the loop has run")
    }

    static let l6 = Rule(
        "L6",
        "Time-shifting operators use their loop's clock: a delay is never too short, and a failure overtakes it at once (law 9)."
    ) { check, loop in
        let times = Recorder<LoopInstant>()
        let start = loop.now
        Signal<Int, Never>(values: 0..<3).delay(.milliseconds(5), on: loop).subscribe(onValue: { _ in
            check.expect(loop.isCurrent, "the value is delivered on the loop")
            times.append(loop.now)
        })
        try loop.runUntilIdle()
        check.equal(times.count, 3, "values that arrived")
        for time in times.values {
            check.expect(time - start >= .milliseconds(5), "a delay of at least 5 ms", seen: "\(time - start)")
        }
        let subject = Subject<Int, Broken>()
        let trace = Recorder<String>()
        subject.signal.delay(.milliseconds(5), on: loop).subscribe(
            onValue: { _ in trace.append("value") },
            onTermination: { _ in trace.append("end") }
        )
        subject.send(1)
        subject.fail(Broken("", ""))
        try loop.runUntilIdle()
        check.equal(trace.values, ["end"], "events of a delayed value and a failure sent right after it")
    }

    static let l7 = Rule(
        "L7",
        "Values sent during a delivery, and by many threads, are queued: first in, first out, one at a time (laws 2, 4).",
        needs: [.ownThread]
    ) { check in
        let nested = Subject<Int, Never>()
        let order = Recorder<String>()
        nested.signal.subscribe(onValue: { value in
            order.append("begin \(value)")
            if value < 3 { nested.send(value + 1) }
            order.append("end \(value)")
        })
        nested.send(1)
        let queued = (1...3).flatMap { ["begin \($0)", "end \($0)"] }
        check.equal(order.values, queued, "deliveries of values sent during a delivery")
        nested.complete()
        let loop = try check.ownedLoop()
        let subject = Subject<Int, Never>()
        let (inside, seen) = (Box(0), Box(0))
        let last = Box([Int](repeating: -1, count: 4))
        let over = Latch()
        subject.signal.observe(on: loop, limit: 100_000).subscribe(onValue: { value in
            check.equal(inside.increment(), 1, "concurrent deliveries")
            let (sender, number) = (value / 1000, value % 1000)
            let before = last.update { last in
                defer { last[sender] = number }
                return last[sender]
            }
            check.equal(number, before + 1, "the number of the next value of thread \(sender)")
            inside.value = 0
            if seen.increment() == 4000 { over.arrive() }
        })
        for sender in 0..<4 {
            check.thread { for number in 0..<1000 { subject.send(sender * 1000 + number) } }
        }
        try check.wait(for: over, "4 000 values of four threads arrive")
    }

    static let l8 = Rule(
        "L8",
        "A failure overtakes values that an operator delays, itself or at its source, but none that a subscriber's pause delays (laws 9, 11)."
    ) { check, loop in
        let subject = Subject<Int, Broken>()
        let seen = Recorder<String>()
        let subscription = SignalSubscription()
        subject.signal.delay(.milliseconds(1), on: loop, limit: 2).observe(on: loop, limit: 2)
            .flatMap(.concat) { value in
                seen.append("\(value)")
                return Signal<Int, Broken>.never
            }
            .subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in seen.append("end") })
        for value in 0..<20 { subject.send(value) }
        try loop.runUntilIdle()
        let token = subscription.pause()
        subject.fail(Broken("", ""))
        try loop.runUntilIdle()
        check.equal(seen.values, ["0"], "events until the end of the pause")
        token.dispose()
        try loop.runUntilIdle()
        check.equal(seen.values, ["0", "end"], "events after the pause")

        let paused = SignalSubscription()
        let hot = Subject<Int, Broken>()
        let kept = Recorder<String>()
        hot.signal.observe(on: loop, limit: 2).subscribe(
            in: paused,
            onValue: { kept.append("\($0)") },
            onTermination: { _ in kept.append("end") }
        )
        let other = paused.pause()
        for value in 0..<5 { hot.send(value) }
        hot.fail(Broken("", ""))
        try loop.runUntilIdle()
        check.equal(kept.values, [], "events of a paused subscriber")
        other.dispose()
        try loop.runUntilIdle()
        check.equal(kept.values, (0..<5).map { "\($0)" } + ["end"], "events of the subscriber after the resume")
    }
}
