public import ReactiveCore
import ReactiveSupport

/// A disposable that is disposed as work of a scheduler, whoever asks for it: for what belongs to one thread.
public final class ScheduledDisposable: Disposable {
    private let scheduler: any Scheduler
    private let inner: OnceCell<any Disposable>

    /// Makes one that disposes `inner` on `scheduler`.
    public init(_ inner: any Disposable, on scheduler: any Scheduler) {
        self.scheduler = scheduler
        self.inner = OnceCell(inner)
    }

    /// Whether `dispose()` has been called; the inner one may not be over yet.
    public var isDisposed: Bool { inner.isTaken }

    /// Has the inner one disposed on the scheduler, and lets go of it there; the second call does nothing.
    public func dispose() {
        guard let inner = inner.take() else { return }
        scheduler.execute { inner.dispose() }
    }
}
