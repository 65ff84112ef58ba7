public import ReactiveCore

/// A disposable that is disposed when it is released: the one exception to law 5. Store it in a property.
public final class ScopedDisposable: Disposable {
    private let inner: any Disposable

    /// Makes a disposable that disposes `inner` when it is released.
    public init(_ inner: any Disposable) {
        self.inner = inner
    }

    deinit { inner.dispose() }

    /// Whether the inner disposable is disposed.
    public var isDisposed: Bool { inner.isDisposed }

    /// Disposes the inner disposable. Later calls do nothing.
    public func dispose() { inner.dispose() }
}
