// SPDX-License-Identifier: MIT
import ReactiveCore

/// Ends the loop's wait after a post or a change.
extension LoopCore {
    /// Ends the loop's wait, if it has announced one. Any thread may call this, after a post.
    func wakeIfWaiting() {
        guard wakeup.isAwaited, !isForked else { return }
        wakeup.end { if hosting.calls == .needed { callHost() } }
    }

    /// Ends the wait if the caller is a callback that the C library calls inside the wait. Call it while holding the
    /// state, after a change of the timers or of `aliveCount`, because the wait began with the old values (rule X3).
    /// Outside a wait it has no effect, because the next wait uses the new values.
    func wakeIfInsideWait(_ state: LoopState) {
        if state.poll == .waiting { wakeIfWaiting() }
    }
}
