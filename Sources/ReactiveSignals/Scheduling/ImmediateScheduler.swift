// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// A scheduler that runs work inside the submitting call. Unlike a loop, it runs work before the submitting call
/// returns (the exception to rule S2, Docs/Contract.md).
///
/// It has no clock and no thread, so it is not a `TimedScheduler`. Any thread may use it, and work of several threads
/// may overlap. Work that is submitted from inside work runs nested, so deep recursion needs another scheduler. It does
/// not change ``Schedulers/current``.
public final class ImmediateScheduler: Scheduler {
    /// A shared instance.
    public static let shared = ImmediateScheduler()

    /// Creates a scheduler. All instances behave the same.
    public init() {}

    /// Always true: work runs on the calling thread.
    public var isCurrent: Bool { true }

    /// Runs `work` before it returns.
    public func execute(_ work: @escaping @Sendable () -> Void) { work() }

    /// Runs `work` before it returns. The result is disposed already.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        work()
        return DisposedHandle.shared
    }
}
