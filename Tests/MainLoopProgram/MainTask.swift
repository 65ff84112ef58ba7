// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerDispatch

/// An async `main()` after its first suspension: the runtime serves the main queue on other threads.
func inAMainTask(_ loop: any LoopScheduler) -> Never {
    Task { @MainActor in
        check(failure { try loop.run() } == .notMainThread, "a main loop ran in the main task")
        // A guest of the main queue delivers without a run.
        await withCheckedContinuation { fired in
            DispatchLoop.main.schedule(after: .milliseconds(2)) { fired.resume() }
        }
        finish()
    }
    dispatchMain()
}

/// No code runs Foundation's `RunLoop` during the run of a main loop.
func besideAFoundationTimer(_ loop: any LoopScheduler) throws {
    let firings = Box(0)
    let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { _ in firings.increment() }
    loop.schedule(after: .milliseconds(50)) { loop.stop() }
    try loop.run()
    check(firings.value == 0, "the timer fired during the loop's run")
    while firings.value == 0 { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01)) }
    timer.invalidate()
}
