// SPDX-License-Identifier: MIT
/// A queue that begins jobs in the order of submission (rules S1 and X6).
///
/// Any thread may use every member. Rule numbers refer to Docs/Contract.md.
///
/// A conforming type follows these rules:
///
/// - `execute` and `schedule` never run the work inside the call, even if the scheduler's own work calls them (S2).
///   The exceptions are the immediate scheduler, the trampoline scheduler, and the scheduler of the main actor if the
///   caller is on the main actor.
/// - It runs one job at a time. The exceptions are a `WorkerPool` with several threads and the immediate scheduler.
/// - The scheduler releases work as soon as the work has run or been disposed.
/// - After its disposal the scheduler drops and releases new work (X8).
public protocol Scheduler: AnyObject, Sendable {
    /// Whether the calling thread is running work of this scheduler (rule C1).
    var isCurrent: Bool { get }

    /// Runs `work` once, after everything submitted before it. It creates no handle, so it costs less than
    /// ``schedule(_:)``.
    func execute(_ work: __owned @escaping @Sendable () -> Void)

    /// Runs `work` once, after everything submitted before it, unless the result is disposed first.
    ///
    /// Disposing the result neither waits for the work nor interrupts it:
    ///
    /// - On the scheduler's own thread, the work does not begin after `dispose()` has returned.
    /// - On another thread, the scheduler may already have dequeued the work. The work is then the scheduler's very
    ///   next callback (rule T27). Work that you submit after `dispose()` runs later (T26).
    ///
    /// A disposed scheduler releases `work`, and returns a handle that is already disposed (X8).
    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable
}
