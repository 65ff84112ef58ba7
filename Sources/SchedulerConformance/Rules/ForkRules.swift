// SPDX-License-Identifier: MIT
import ReactiveCore

/// F2, F3 and G7: the calls that work in a forked child. (F1 is with the process signals.)
enum ForkRules {
    static let all = [f2, f3, g7]

    static let f2 = Rule(
        "F2",
        "A loop that is created in a forked child works, even if it owns a thread.",
        .optional,
        needs: [.descriptors, .realTime, .ownRun, .forks]
    ) { check in
        let parents = try check.loop()
        try check.turns(parents, 2)
        for isOwned in check.owners {
            // In a forked child, Swift's runtime hangs if two threads use a type for the first time at the same moment.
            // So the parent uses all types first.
            check.equal(workOnNewLoop(check, isOwned), 0, "the failed step in the parent (0: none)")
            try check.wait(until: "the process's other threads sleep") { ProcessResources.othersSleep }
            let code = ProcessSignals.inFork { workOnNewLoop(check, isOwned) }
            let codes = "2: no loop, 3 and 5: work or a timer did not run, 4: a run failed"
            check.equal(
                code,
                0,
                "the child's exit code, for a loop \(isOwned ? "with" : "without") its own thread (\(codes))"
            )
        }
    }

    /// Uses a new loop. Returns 0, or the number of the step that failed.
    private static func workOnNewLoop(_ check: Check, _ isOwned: Bool) -> Int32 {
        guard let loop = try? check.description.make("\(Platform.threadPrefix)child", isOwned) else { return 2 }
        let done = Latch(2)
        loop.execute { done.arrive() }
        loop.schedule(after: .milliseconds(1)) { done.arrive() }
        if isOwned {
            if !done.wait(check.patience) { return 3 }
        } else {
            let limit = Platform.now + check.patience
            while !done.isOpen, Platform.now < limit {
                if failure({ try loop.runOnce(waiting: false) }) != nil { return 4 }
            }
            if !done.isOpen { return 5 }
        }
        loop.dispose()
        return 0
    }

    static let f3 = Rule(
        "F3",
        "In a forked child a call on the parent's loop never waits or traps: work is dropped, other calls throw `forked`.",
        .optional,
        needs: [.ownThread, .realTime, .forks]
    ) { check, loop, pair in
        let handles: [any Disposable] = [loop.schedule(after: .seconds(3600)) {}, loop.onDispose {}]
        let busy = BusyThreads(3, rounds: 200) { _ in
            loop.execute {}
            loop.schedule(after: .milliseconds(1)) {}.dispose()
            loop.onDispose {}.dispose()
        }
        check.atEnd { busy.end() }
        try check.wait(until: "the threads have warmed up") { busy.areWarm }
        try check.sync(loop)
        // Makes the same calls in the parent, so that the child uses no type for the first time.
        let other = try check.ownedLoop()
        _ = calls(check, other, [other.schedule(after: .seconds(3600)) {}, other.onDispose {}], pair) {}
        for round in 0..<check.rounds(50) {
            let code = ProcessSignals.inFork { calls(check, loop, handles, pair) { Platform.exit(2) } }
            check.equal(
                code,
                0,
                "exit code of child \(round) (2: dropped work ran, 3 to 8: the call that failed, -1: crash, -2: hang)"
            )
            if code != 0 { break }
        }
        busy.end()
        check.note("the parent's loop still runs work")
        try check.sync(loop)
    }

    /// The calls of a child. The loop must refuse all of them. Returns 0, or the number of the call that failed.
    private static func calls(
        _ check: Check,
        _ loop: any LoopScheduler,
        _ handles: [any Disposable],
        _ pair: SocketPair,
        _ work: @escaping @Sendable () -> Void
    ) -> Int32 {
        let isRefused = loop.isDisposed
        loop.execute(work)
        let (first, second) = (loop.schedule {}, loop.schedule(after: .zero) {})
        let run = failure { try loop.run() }
        let watch = failure { _ = try loop.watch(pair.far, for: .write) { _ in } }
        _ = loop.onDispose(work)
        loop.stop()
        for handle in handles { handle.dispose() }
        loop.dispose()
        if !first.isDisposed { return 3 }
        if !second.isDisposed { return 4 }
        if run != .forked { return 5 }
        if watch != .forked { return 6 }
        if !isRefused { return 8 }
        return loop.isDisposed ? 0 : 7
    }

    static let g7 = Rule(
        "G7",
        "If only a forked child receives a process signal, the signal has its disposition from before the handlers.",
        .optional,
        needs: [.processSignals, .forks]
    ) { check in
        for isIgnored in [true, false] {
            ProcessSignals.setDisposition(.user2, isIgnored: isIgnored)
            let loop = try check.loop()
            let calls = Box(0)
            let handle = try loop.onSignal(.user2) { calls.increment() }
            try check.turns(loop, 2)
            try check.wait(until: "the process's other threads sleep") { ProcessResources.othersSleep }
            let code = ProcessSignals.inFork {
                ProcessSignals.raise(.user2)
                return 5
            }
            check.equal(code, isIgnored ? 5 : -1, "the child's exit code (-1: the signal terminated it)")
            try check.turns(loop, 5)
            check.equal(calls.value, 0, "calls of the parent's handler")
            ProcessSignals.raise(.user2)
            try check.turns(loop, until: "the parent's handler is called for its own signal") { calls.value == 1 }
            handle.dispose()
        }
    }
}
