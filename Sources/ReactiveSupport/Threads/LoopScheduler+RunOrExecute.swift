// SPDX-License-Identifier: MIT
package import ReactiveCore

extension LoopScheduler {
    /// Runs `work` now if the caller is the loop's own work, otherwise submits it to the loop.
    package func runOrExecute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { work() } else { execute(work) }
    }

    /// Submits `work` to the loop. If the loop is disposed before `work` has run, calls `dropped` instead.
    package func execute(
        _ work: @escaping @Sendable () -> Void,
        ifDisposed dropped: @escaping @Sendable () -> Void
    ) {
        let disposal = onDispose(dropped)
        execute {
            disposal.dispose()
            work()
        }
    }
}
