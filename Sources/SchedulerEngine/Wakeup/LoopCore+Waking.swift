// SPDX-License-Identifier: MIT
import ReactiveCore

/// How a post or a change ends the loop's wait.
extension LoopCore {
    /// Ends the loop's wait, if it has announced one. Call it after a post; any thread may.
    func wakeIfWaiting() {
        guard wakeup.isAwaited, !isForked else { return }
        wakeup.end { if hosting.calls == .needed { callHost() } }
    }

    /// Ends the wait if the caller is a callback that the C library runs inside that wait. Call it with the state,
    /// after a change of the timers or of what keeps the loop alive: the wait began with the old ones (rule X3).
    /// Outside a wait it does nothing, because the next wait uses the new ones.
    func wakeIfInsideWait(_ state: LoopState) {
        if state.poll == .waiting { wakeIfWaiting() }
    }
}
