// SPDX-License-Identifier: MIT
import ReactiveCore

/// Ends the loop's wait after a post or a change.
extension LoopCore {
    /// Ends the loop's wait, if it has announced one. Any thread may call this, after a post.
    func wakeIfWaiting() {
        guard wakeup.isAwaited, !isForked else { return }
        wakeup.end { if hosting.calls == .needed { callHost() } }
    }

    /// C callbacks of the library run inside the wait, which began with the old deadline. If such a callback changes
    /// the timers or `aliveCount`, end the wait (rule X3). The caller holds the state. Outside a wait it has no effect,
    /// because the next wait uses the new values.
    func wakeIfInsideWait(_ state: LoopState) {
        if phase.isWaiting { wakeIfWaiting() }
    }
}
