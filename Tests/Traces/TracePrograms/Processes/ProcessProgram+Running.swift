// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
package import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine

/// The exit codes of a process program.
package enum ProcessOutcome {
    static let fine: Int32 = 0
    static let lost: Int32 = 20
    static let refused: Int32 = 21
    static let child: Int32 = 22

    /// Describes a failure. `nil` means success.
    package static func complaint(_ end: ForkedChild.End) -> String? {
        switch end {
        case .exited(fine): nil
        case .exited(lost): "posts or timers are lost: they have not run after a minute"
        case .exited(refused): "a run was refused"
        case .exited(child): "a forked child did not end as it should"
        case .exited(let code): "it ended with \(code)"
        case .signalled(SIGALRM): "it waits for good"
        case .signalled(let signal): "it was ended by signal \(signal)"
        }
    }
}

extension ProcessProgram {
    /// Runs the program in this process, and exits.
    package func run() -> Never {
        alarm(300)
        let tally = Tally()
        let guest = try? DispatchLoop(attachedTo: DispatchQueue(label: "host"))
        if isMainFirst || hasForks { _ = kind.main }
        if hasForks { warmUp(tally, guest) }
        if let ends, !meet(ends, tally) { leaveToMainQueue(tally) }
        let hasBegun = Box(false)
        let started = threads.map { steps in
            SystemThread.orTrap(name: "program") {
                while !hasBegun.value {}
                for step in steps { perform(step, tally, guest) }
            }
        }
        hasBegun.value = true
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < mainDelay {}
        for step in mainSteps { perform(step) }
        for thread in started { thread.join() }
        if hasLastPost { SystemThread.orTrap(name: "last") { tally.post(to: kind.main) }.join() }
        finish(tally)
    }

    private func meet(_ ends: EndsOfRuns, _ tally: Tally) -> Bool {
        do { return try ends.run(tally) } catch { _exit(ProcessOutcome.refused) }
    }

    private var hasForks: Bool { mainSteps.contains { step in step.isFork } }

    /// Runs every kind of step once, also on another thread. A thread that first uses a type holds a lock of the
    /// Swift runtime, and a fork at that moment leaves the lock held in the child forever.
    private func warmUp(_ tally: Tally, _ guest: DispatchLoop?) {
        let steps = [ThreadStep.post(1), .timer(microseconds: 1), .cancelledTimer, .postToGuest, .yield(1)]
        SystemThread.orTrap(name: "warm") { for step in steps { perform(step, tally, guest) } }.join()
        while !tally.isSettled { try? kind.main.runOnce(waiting: false) }
        perform(.untilStopped)
        _ = inOwnLoop()
    }

    private func perform(_ step: ThreadStep, _ tally: Tally, _ guest: DispatchLoop?) {
        switch step {
        case .post(let count): for _ in 0..<count { tally.post(to: kind.main) }
        case .timer(let microseconds): tally.setTimer(on: kind.main, microseconds: microseconds)
        case .cancelledTimer: kind.main.schedule(after: .milliseconds(1)) {}.dispose()
        case .postToGuest: if let guest { tally.post(to: guest) }
        case .yield(let count): for _ in 0..<count { sched_yield() }
        }
    }

    private func perform(_ step: MainStep) {
        do {
            switch step {
            case .turns(let count): for _ in 0..<count { try kind.main.runOnce(waiting: false) }
            case .untilIdle: try kind.main.runUntilIdle()
            case .untilStopped:
                let stopper = SystemThread.orTrap(name: "stopper") { kind.main.execute { kind.main.stop() } }
                try kind.main.run()
                stopper.join()
            case .fork(let makesLoop):
                let end = ForkedChild(limit: 20) { inChild(makesLoop) }.wait()
                if end != .exited(0) { _exit(ProcessOutcome.child) }
            }
        } catch { _exit(ProcessOutcome.refused) }
    }

    /// Calls on the parent's loop must be refused, and the child's own loop must work.
    private func inChild(_ makesLoop: Bool) -> Int32 {
        let parents = kind.main
        if failure({ try parents.runOnce(waiting: false) }) != .forked { return 1 }
        parents.execute { _exit(2) }
        if !parents.schedule(after: .zero, {}).isDisposed { return 3 }
        parents.stop()
        return makesLoop ? inOwnLoop() : 0
    }

    private func inOwnLoop() -> Int32 {
        guard let own = try? kind.make(thread: .owned) else { return 4 }
        let tally = Tally()
        for _ in 0..<50 { tally.post(to: own) }
        tally.setTimer(on: own, microseconds: 50)
        while !tally.isSettled { Platform.pause(.microseconds(50)) }
        own.dispose()
        return 0
    }

    private func finish(_ tally: Tally) -> Never {
        if isLeftToMainQueue { leaveToMainQueue(tally) }
        waitForAll(tally) { try? kind.main.runOnce(waiting: false) }
    }

    private func leaveToMainQueue(_ tally: Tally) -> Never {
        _ = SystemThread.orTrap(name: "waiter") { waitForAll(tally) { Platform.pause(.microseconds(100)) } }
        dispatchMain()
    }

    private func waitForAll(_ tally: Tally, _ takeTurn: () -> Void) -> Never {
        let limit = ContinuousClock.now + .seconds(60)
        while !tally.isSettled {
            if ContinuousClock.now > limit { _exit(ProcessOutcome.lost) }
            takeTurn()
        }
        _exit(ProcessOutcome.fine)
    }
}
