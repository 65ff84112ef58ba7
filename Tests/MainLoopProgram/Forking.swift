// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance

/// A child that is forked in the middle of the main loop's run disposes the loop and continues. The parent's loop
/// still works.
func forkedInside(_ loop: any LoopScheduler) throws {
    let code = Box<Int32>(-1)
    let isChild = Box(false)
    // Start threads of libdispatch. The child does not have them, and every call of libdispatch in the child would
    // crash.
    let started = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { started.signal() }
    started.wait()
    loop.execute {
        let child = ForkedChild.fork()
        if child == 0 {
            alarm(60)
            isChild.value = true
            return loop.dispose()
        }
        var status: Int32 = 0
        check(child > 0 && waitpid(child, &status, 0) == child, "a child")
        code.value = status
        // The continued run serves the main queue as before.
        DispatchQueue.main.async { loop.stop() }
    }
    try? loop.run()
    if isChild.value { _exit(loop.isDisposed ? 7 : 8) }
    check(code.value == 7 << 8, "the child's status is that of exit code 7, and not \(code.value)")
    try running(loop)
}
