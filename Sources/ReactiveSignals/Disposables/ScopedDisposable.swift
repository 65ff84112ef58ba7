public import ReactiveCore

/// A disposable that is disposed when it is let go of: the one exception to law 5, made to be kept in a property.
public final class ScopedDisposable: Disposable {
    private let inner: any Disposable

    /// Makes one that disposes `inner` with itself.
    public init(_ inner: any Disposable) {
        self.inner = inner
    }

    deinit { inner.dispose() }

    /// Whether the inner one is over.
    public var isDisposed: Bool { inner.isDisposed }

    /// Disposes the inner one; the second call does nothing.
    public func dispose() { inner.dispose() }
}
