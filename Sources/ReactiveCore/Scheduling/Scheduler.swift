// SPDX-License-Identifier: MIT
/// A queue that runs jobs one at a time, in the order of submission (rules S1 and X6).
///
/// Any thread may use every member.
///
/// To implement it: return from `execute` and `schedule` before the work begins, also if the scheduler's own work calls
/// them (rule S2). The documented exceptions are the immediate and the trampoline scheduler. Release work as soon as it
/// has run or been disposed. After its disposal a scheduler drops and releases new work (rule X8).
public protocol Scheduler: AnyObject, Sendable {
    /// Whether the calling thread is running work of this scheduler (rule C1).
    var isCurrent: Bool { get }

    /// Runs `work` once, after everything submitted before it. It creates no handle, which makes it the cheapest form.
    func execute(_ work: __owned @escaping @Sendable () -> Void)

    /// Runs `work` once, after everything submitted before it, unless the result is disposed first.
    ///
    /// Disposing the result neither waits for the work nor interrupts it:
    ///
    /// - On the scheduler's own thread, the work does not begin after `dispose()` has returned.
    /// - On another thread, the scheduler may have taken the work already. It is then the scheduler's very next work
    ///   (rule T27). Work that you submit after `dispose()` runs after it (T26).
    ///
    /// A disposed scheduler releases `work`, and the result is disposed already (X8).
    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable
}
