// SPDX-License-Identifier: MIT
import CReactive
import ReactiveSupport

/// Finds tasks that leave a world for the global executor, whose threads and clock the seed does not decide.
enum EscapedTasks {
    /// Whether the concurrency library reports such tasks. In a statically linked program, such tasks may not be
    /// detected.
    static let isWatching = reactive_watch_global_executor { SimulatedProcess.current?.reportEscape() } != 0
}
