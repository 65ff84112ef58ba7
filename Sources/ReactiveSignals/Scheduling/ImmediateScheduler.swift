public import ReactiveCore
import ReactiveSupport

/// Runs work at once, inside the call that gives it: the exception to rule S2.
///
/// It has no clock and no thread of its own, so it is a `Scheduler` only. Work given from inside work runs nested; what may
/// recurse deeply belongs on another scheduler. It leaves ``Schedulers/current`` as it is.
public final class ImmediateScheduler: Scheduler {
    /// One is enough for everybody.
    public static let shared = ImmediateScheduler()

    /// Makes one, which is like every other.
    public init() {}

    /// Always true: wherever the caller is, its work would run right there.
    public var isCurrent: Bool { true }

    /// Runs `work` before it returns.
    public func execute(_ work: @escaping @Sendable () -> Void) { work() }

    /// Runs `work`; the result is disposed already.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        work()
        return DisposedHandle.shared
    }
}
