public import ReactiveCore
import ReactiveSupport

/// A disposable made of a closure, which is called once, by the first `dispose()`, and let go of then (law 5).
public final class AnyDisposable: Disposable {
    private let action: OnceCell<@Sendable () -> Void>

    /// Makes a disposable that calls `action`, on the thread that disposes it, with no lock held.
    public init(_ action: @escaping @Sendable () -> Void) {
        self.action = OnceCell(action)
    }

    /// Whether the closure has been called, or is being called.
    public var isDisposed: Bool { action.isTaken }

    /// Calls the closure; the second call does nothing, and does not wait for the first.
    public func dispose() { action.take()?() }
}
