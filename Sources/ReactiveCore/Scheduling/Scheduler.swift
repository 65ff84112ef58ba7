/// A place where work runs, one piece at a time, in the order in which it was given (rules S1 and X6).
///
/// To implement it: `execute` and `schedule` may be called from any thread. They return before the work begins, also when
/// called from the scheduler's own work (rule S2; the immediate scheduler is the one exception and says so). Work is let
/// go of as soon as it has run or been disposed. A scheduler that is over drops what it is given.
public protocol Scheduler: AnyObject, Sendable {
    /// Whether the caller is work of this scheduler's (rule C1). False on every thread that is not running such work.
    var isCurrent: Bool { get }

    /// Runs `work` once, after everything given before it. This is the form without a handle, for the hot path.
    func execute(_ work: __owned @escaping @Sendable () -> Void)

    /// Runs `work` once, after everything given before it, unless the result is disposed first.
    ///
    /// Disposing the result never waits for the work and does not interrupt it. On the scheduler's own thread, work does not begin after
    /// `dispose()` has returned. On another thread, the scheduler may have taken the work already; then it is the scheduler's very next
    /// work (rule T27). Work that you submit after `dispose()` runs after it (T26). On a scheduler that is over, the result is disposed
    /// already and `work` is released.
    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable
}
