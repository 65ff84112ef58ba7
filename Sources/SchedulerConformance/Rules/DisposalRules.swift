// SPDX-License-Identifier: MIT
import ReactiveCore

/// D1–D6: disposing watches and loops.
enum DisposalRules {
    static let all = [d1, d2, d3, d4, d5, d6]

    static let d1 = Rule(
        "D1",
        "A watch may be disposed in its own callback, in another one of the same batch, and twice; it is not called after that."
    ) { check, loop, pair in
        let watches = Box<[any DescriptorWatch]>([])
        let calls = Box(0)
        for descriptor in [pair.near, pair.far, pair.near, pair.far] {
            let watch = try loop.watch(descriptor, for: .write) { _ in
                calls.increment()
                for watch in watches.value {
                    watch.dispose()
                    watch.dispose()
                }
            }
            watches.update { watches in watches.append(watch) }
        }
        try check.turns(loop, 3)
        check.equal(calls.value, 1, "calls of four watches, the first of which disposes all")
        check.expect(watches.value.allSatisfy { watch in watch.isDisposed }, "all are disposed")
        check.attempt { try watches.value[0].setInterest(.read) }
        try loop.runUntilIdle()
        watches.value = []
    }

    static let d2 = Rule(
        "D2",
        "A watch that another thread disposes is removed within a turn, and its closure is released.",
        needs: [.descriptors, .ownThread]
    ) { check, loop in
        let gone = Box(0)
        for round in 0..<200 {
            let pair = SocketPair()
            defer { pair.close() }
            let calls = Box(0)
            let made = Box<(any DescriptorWatch)?>(nil)
            try check.sync(loop) {
                let called = Canary.closure(countedBy: gone) { calls.increment() }
                check.attempt { made.value = try loop.watch(pair.near, for: .write) { _ in called() } }
            }
            // The watch is disposed before its first call in some rounds, and between two calls in others.
            if round.isMultiple(of: 2) { try check.wait(until: "the watch is called") { calls.value > 0 } }
            made.value?.dispose()
            try check.sync(loop)
            let count = calls.value
            try check.sync(loop)
            try check.sync(loop)
            check.equal(
                calls.value,
                count,
                "calls in total, of which none later than a turn after disposal, in round \(round)"
            )
        }
        try check.sync(loop)
        check.equal(gone.value, 200, "released closures")
    }

    static let d3 = Rule(
        "D3",
        "A disposed loop releases all that it holds: work, timers, watches, handlers, descriptors, its thread.",
        needs: [.descriptors, .processSignals]
    ) { check in
        for isOwned in check.owners {
            let before = Descriptor.all
            let loop = try check.loop(isOwned: isOwned)
            let pair = SocketPair()
            let gone = Box(0)
            let handles = Recorder<any Disposable>()
            @Sendable func closure() -> @Sendable () -> Void {
                Canary.closure(countedBy: gone) {
                    check.fail(expected: "a closure of a disposed loop is not called", seen: "it was called")
                }
            }
            @Sendable func fill() {
                check.attempt {
                    let ready = closure()
                    handles.append(try loop.watch(pair.near, for: .read) { _ in ready() })
                    handles.append(try loop.onSignal(.windowChange, closure()))
                }
                if check.has(.realTime) {
                    handles.append(loop.schedule(after: .seconds(60), closure()))
                    handles.append(loop.schedule(every: .seconds(60), closure()))
                }
                if !isOwned {
                    loop.execute(closure())
                    handles.append(loop.schedule(closure()))
                }
            }
            if isOwned { try check.sync(loop, fill) } else { fill() }
            let held = handles.count + (isOwned ? 0 : 1)
            check.equal(gone.value, 0, "closures released before the disposal")
            loop.dispose()
            check.equal(gone.value, held, "released closures")
            check.expect(handles.values.allSatisfy { handle in handle.isDisposed }, "every handle is disposed")
            for handle in handles.values { handle.dispose() }
            handles.clear()
            pair.close()
            let left = Descriptor.all.subtracting(before)
            check.expect(left.isEmpty, "no descriptor is left", seen: "\(left.sorted())")
            // The system lists the thread for a moment after the join.
            try check.wait(until: "the loop's thread has ended") { !ProcessResources.loopThreads().contains(loop.name) }
        }
        try reentrantRelease(check)
    }

    /// A released object may use the loop during the disposal.
    private static func reentrantRelease(_ check: Check) throws {
        let loop = try check.loop()
        let pair = check.pair()
        let watch = Box<(any DescriptorWatch)?>(nil)
        let touched = Box(0)
        @Sendable func use() {
            touched.increment()
            loop.execute {}
            loop.stop()
            loop.schedule(after: .zero) {}
            watch.value?.dispose()
            check.equal(
                failure { _ = try loop.watch(pair.far, for: .read) { _ in } },
                .disposed,
                "the error of a watch"
            )
            loop.dispose()
        }
        func fill() throws {
            let canaries = (0..<3).map { _ in Canary { use() } }
            watch.value = try loop.watch(pair.near, for: .read) { [first = canaries[0]] _ in first.sing() }
            loop.schedule(after: .seconds(60)) { [second = canaries[1]] in second.sing() }
            loop.execute { [third = canaries[2]] in third.sing() }
        }
        try fill()
        loop.dispose()
        check.equal(touched.value, 3, "closures that used the loop during their release")
        check.expect(loop.isDisposed, "the loop is disposed")
        watch.value = nil
    }

    static let d4 = Rule(
        "D4",
        "A running loop that is disposed ends its run after the current callback; `dispose` waits for the loop's own thread."
    ) { check, loop in
        let trace = Recorder<String>()
        loop.execute {
            loop.dispose()
            trace.append("first")
        }
        loop.execute { trace.append("second") }
        try check.step("run of a loop that its first work disposes", loop.run)
        check.equal(trace.values, ["first"], "work that ran")
        check.expect(loop.isDisposed, "the loop is disposed")

        let other = try check.loop()
        let thread = check.thread(duringRunOf: other) { other.dispose() }
        try check.step("run of a loop that another thread disposes", other.run)
        thread.join()

        guard check.has(.ownThread) else { return }
        let owned = try check.ownedLoop()
        let (over, waits) = (Latch(), Latch())
        let left = Box(false)
        owned.execute {
            owned.dispose()
            over.arrive()
            // If `dispose` returned at once, it would return during this pause.
            _ = waits.wait(check.patience)
            Platform.pause(.milliseconds(20))
            left.value = true
        }
        try check.wait(for: over, "the loop's own work disposes it")
        waits.arrive()
        // `dispose` waits for the thread, even if the loop's own work has disposed the loop first.
        owned.dispose()
        check.expect(left.value, "dispose returns after the loop's thread has ended", seen: "it returned before")
        check.equal(failure { try owned.run() }, .disposed, "the error of a run")
    }

    static let d5 = Rule(
        "D5",
        "A disposed loop rejects every call with `disposed`; disposing it again, even from many threads at once, does nothing.",
        needs: [.descriptors, .processSignals]
    ) { check in
        for isOwned in check.owners {
            let loop = try check.loop(isOwned: isOwned)
            loop.dispose()
            loop.dispose()
            let pair = check.pair()
            let calls: [(String, () throws -> Void)] = [
                ("run", { try loop.run() }), ("runUntilIdle", { try loop.runUntilIdle() }),
                ("runOnce", { try loop.runOnce(waiting: true) }),
                ("watch", { _ = try loop.watch(pair.near, for: .read) { _ in } }),
                ("onSignal", { _ = try loop.onSignal(.user1) {} }),
            ]
            for (name, call) in calls {
                check.equal(failure(call), .disposed, "the error of \(name)")
            }
            loop.stop()
        }
        guard check.has(.ownThread) else { return }
        for _ in 0..<50 {
            let loop = try check.ownedLoop()
            let ran = Box(0)
            loop.execute { ran.increment() }
            check.onThreads(3) { _ in loop.dispose() }
            check.expect(ran.value <= 1 && loop.isDisposed, "work runs at most once, and the loop is disposed")
        }
    }

    static let d6 = Rule(
        "D6",
        "If a descriptor is closed and its number reused within a batch, the new watch receives no event of the old one.",
        needs: [.descriptors]
    ) { check in
        for round in 0..<20 {
            let loop = try check.loop()
            let pairs = [SocketPair(), SocketPair()]
            let fresh = SocketPair()
            defer { for pair in pairs + [fresh] { pair.close() } }
            let watches = Box<[any DescriptorWatch]>([])
            let wrong = Box(0)
            let called = Box(0)
            for (index, pair) in pairs.enumerated() {
                Descriptor.put("x", to: pair.far)
                let watch = try loop.watch(pair.near, for: .read) { _ in
                    // The first callback assigns the other watch's number to a socket with nothing to read.
                    if called.increment() > 1 { return }
                    // Another thread disposes the old watch in every second round; the loop then removes it later.
                    let victim = pairs[1 - index].near
                    let old = watches.value[1 - index]
                    if round.isMultiple(of: 2) { old.dispose() } else { Worker { old.dispose() }.join() }
                    Descriptor.copy(fresh.near, onto: victim)
                    check.attempt {
                        let again = try loop.watch(victim, for: .read) { _ in wrong.increment() }
                        watches.update { watches in watches.append(again) }
                    }
                }
                watches.update { watches in watches.append(watch) }
            }
            try check.turns(loop, 1)
            check.equal(called.value, 1, "calls of the two watches in round \(round)")
            check.equal(wrong.value, 0, "events of the old descriptor that the new watch received")
            try check.turns(loop, 2)
            check.equal(wrong.value, 0, "events of the old descriptor, two turns later")
            Descriptor.put("y", to: fresh.far)
            try check.turns(loop, until: "the new watch receives its own event") { wrong.value > 0 }
            for watch in watches.value { watch.dispose() }
            watches.value = []
            loop.dispose()
        }
    }
}
