// SPDX-License-Identifier: MIT
package import ReactiveCore

extension LoopScheduler {
    /// Runs `work` now if the caller is the loop's own work, otherwise submits it to the loop.
    package func runOrExecute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { work() } else { execute(work) }
    }
}
