// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A disposable that is disposed when it is released: the one exception to [law 5](doc:LawsOfSignals). Store it in a
/// property.
///
/// The disposal runs on the thread that releases the last reference.
public final class ScopedDisposable: Disposable {
    private let inner: any Disposable

    /// Creates a disposable that disposes `inner` when it is released.
    public init(_ inner: any Disposable) {
        self.inner = inner
    }

    deinit { inner.dispose() }

    /// Whether the inner disposable is disposed.
    public var isDisposed: Bool { inner.isDisposed }

    /// Disposes the inner disposable now. Later calls, and the release, do nothing more.
    public func dispose() { inner.dispose() }
}
