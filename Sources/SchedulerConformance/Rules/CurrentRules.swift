// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

/// C1–C3: the current scheduler.
enum CurrentRules {
    static let all = [c1, c2, c3]

    static let c1 = Rule(
        "C1",
        "In work, timers, watches and signal handlers, their loop is the current scheduler; elsewhere it is not."
    ) { check, loop, pair in
        let seen = Recorder<String>()
        @Sendable func look(_ where: String) {
            seen.append(`where`)
            check.expect(loop.isCurrent, "in \(`where`) the loop is current")
            let scheduler = check.description.scheduler?(loop) ?? loop
            check.expect(Schedulers.current === scheduler, "in \(`where`) Schedulers.current is the loop")
        }
        @Sendable func lookOutside(_ where: String) {
            check.expect(!loop.isCurrent, "\(`where`) the loop is not current")
            check.expect(Schedulers.current == nil, "\(`where`) there is no current scheduler")
        }
        loop.execute { look("work") }
        _ = loop.schedule { look("work with a handle") }
        loop.schedule(after: .zero) { look("a timer") }
        let watch = try loop.watch(pair.near, for: .write) { _ in look("a watch") }
        lookOutside("before the run")
        loop.execute { check.thread { lookOutside("on another thread") }.join() }
        try check.turns(loop, 1)
        watch.dispose()
        check.equal(
            seen.values,
            ["work", "work with a handle", "a watch", "a timer"],
            "callbacks that checked the current scheduler"
        )
        lookOutside("after the run")
        guard check.has(.processSignals) else { return }
        check.disposeAtEnd(try loop.onSignal(.user1) { look("a signal handler") })
        ProcessSignals.raise(.user1)
        try check.turns(loop, until: "the signal's handler is called") { seen.count == 5 }
    }

    static let c2 = Rule(
        "C2",
        "A run restores the previous current scheduler, even if loops of any kinds are nested on one thread."
    ) { check in
        for peer in check.peers.isEmpty ? [check.description] : check.peers {
            let outer = try check.loop()
            let inner = try check.loop(of: peer, isOwned: false)
            let trace = Recorder<String>()
            @Sendable func look() {
                trace.append(outer.isCurrent ? "outer" : inner.isCurrent ? "inner" : "none")
            }
            outer.execute {
                look()
                inner.execute { look() }
                check.attempt { try inner.runUntilIdle() }
                look()
                // A refused run must also restore the current scheduler.
                inner.dispose()
                check.equal(
                    failure { try inner.run() },
                    .disposed,
                    "the error of a run of a disposed loop"
                )
                look()
            }
            try outer.runUntilIdle()
            look()
            check.equal(
                trace.values,
                ["outer", "inner", "outer", "outer", "none"],
                "the current loop at each step, with \(peer.name) inside"
            )
        }
    }

    static let c3 = Rule("C3", "A loop whose thread has ended is not current on a new thread.", needs: [.ownThread]) {
        check in
        var loops: [any LoopScheduler] = []
        for _ in 0..<20 {
            let loop = try check.ownedLoop()
            try check.sync(loop)
            loop.dispose()
            loops.append(loop)
            let all = loops
            check.thread {
                for loop in all { check.expect(!loop.isCurrent, "a disposed loop is not current on a new thread") }
            }.join()
        }
    }
}
