// SPDX-License-Identifier: MIT
import CReactive
import ReactiveSupport

/// Finds tasks that leave a world for the global executor, whose threads and clock the seed does not decide.
enum EscapedTasks {
    /// Whether the concurrency library reports such tasks. A program that links it statically may not.
    static let isWatching = reactive_watch_global_executor { SimulatedProcess.current?.reportEscape() } != 0
}
