// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// A disposable that disposes another one in a job of a scheduler. Use it if the inner disposable may be disposed only
/// on one thread.
public final class ScheduledDisposable: Disposable {
    private let scheduler: any Scheduler
    private let inner: OnceCell<any Disposable>

    /// Creates a disposable that disposes `inner` on `scheduler`.
    public init(_ inner: any Disposable, on scheduler: any Scheduler) {
        self.scheduler = scheduler
        self.inner = OnceCell(inner)
    }

    /// Whether `dispose()` has been called. The inner disposable may be disposed later.
    public var isDisposed: Bool { inner.isTaken }

    /// Submits the disposal of the inner disposable to the scheduler. Any thread may call it. Later calls do nothing.
    ///
    /// If the scheduler drops the job because it has been disposed, the inner disposable is released and not disposed.
    public func dispose() {
        guard let inner = inner.take() else { return }
        scheduler.execute { inner.dispose() }
    }
}
