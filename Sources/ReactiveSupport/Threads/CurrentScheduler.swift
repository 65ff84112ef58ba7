// SPDX-License-Identifier: MIT
import CReactive
package import ReactiveCore

/// The scheduler whose work is running on this thread (rules C1–C3). Each thread has one slot, which is set around
/// every callback.
///
/// The slot is thread-local, not task-local, because a `Task` that is created in a callback must not inherit it.
package enum CurrentScheduler {
    /// The value that a scheduler stores in the slot. It lives as long as the scheduler, and refers to the scheduler.
    ///
    /// `unowned(unsafe)` is safe: the slot is set only while the scheduler runs work, and the caller then retains the
    /// scheduler. `@unchecked Sendable` is safe: the scheduler's initializer calls `attach` once, before any other
    /// thread has the mark.
    package final class Mark: @unchecked Sendable {
        fileprivate unowned(unsafe) var scheduler: (any Scheduler)?
        /// The scope in which the scheduler was created.
        fileprivate let leakScope: LeakScope?

        package init(in leakScope: LeakScope? = LeakScope.current) { self.leakScope = leakScope }

        /// Sets the scheduler. This is the last step of the scheduler's initializer.
        package func attach(_ scheduler: any Scheduler) {
            unsafe self.scheduler = scheduler
        }

        /// Whether the calling thread is running this scheduler's work.
        package var isCurrent: Bool {
            unsafe reactive_current_get() == Unmanaged.passUnretained(self).toOpaque()
        }

        /// Runs `body` as this scheduler's work. Restores the slot on return and on an error.
        @inline(__always)
        package func run<Result, Failure: Error>(
            _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let previous = unsafe reactive_current_get()
            unsafe reactive_current_set(Unmanaged.passUnretained(self).toOpaque())
            defer { unsafe reactive_current_set(previous) }
            return try body()
        }
    }

    /// The scheduler whose work is running on this thread, or nil.
    package static var value: (any Scheduler)? {
        guard let pointer = unsafe reactive_current_get() else { return nil }
        return unsafe Unmanaged<Mark>.fromOpaque(pointer).takeUnretainedValue().scheduler
    }

    /// The scope of the scheduler whose work is running on this thread.
    static var leakScope: LeakScope? {
        guard let pointer = unsafe reactive_current_get() else { return nil }
        return unsafe Unmanaged<Mark>.fromOpaque(pointer).takeUnretainedValue().leakScope
    }

    /// Runs `body` without a current scheduler. A loop uses this for code that is not its own work: blocks of the main
    /// queue.
    package static func runWithout(_ body: () -> Void) {
        let previous = unsafe reactive_current_get()
        reactive_current_set(nil)
        defer { unsafe reactive_current_set(previous) }
        body()
    }
}
