import CReactive
package import ReactiveCore

/// The scheduler whose work is running on this thread (rules C1–C3): one slot for each thread, set around every callback.
///
/// A thread-local rather than a task-local: a `Task` made in a callback must not inherit it.
package enum CurrentScheduler {
    /// What a scheduler puts into the slot: it lives as long as the scheduler, and points back to it.
    ///
    /// Why `unowned(unsafe)` is right: the slot is set only while the scheduler runs work, and whoever runs work holds the
    /// scheduler for that long. Why `@unchecked Sendable` is: `attach` is called once, by the scheduler's initialiser,
    /// before any other thread has seen it.
    package final class Mark: @unchecked Sendable {
        fileprivate unowned(unsafe) var scheduler: (any Scheduler)?

        package init() {}

        /// Says whose mark it is: the last thing an initialiser does.
        package func attach(_ scheduler: any Scheduler) {
            unsafe self.scheduler = scheduler
        }

        /// Whether the calling thread is running this scheduler's work.
        package var isCurrent: Bool {
            unsafe reactive_current_get() == Unmanaged.passUnretained(self).toOpaque()
        }

        /// Runs `body` as this scheduler's work, and restores the slot on every way out.
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

    /// Runs `body` as nobody's work: for code that a loop serves but that is not its own (the main queue's blocks).
    package static func runWithout(_ body: () -> Void) {
        let previous = unsafe reactive_current_get()
        reactive_current_set(nil)
        defer { unsafe reactive_current_set(previous) }
        body()
    }
}
