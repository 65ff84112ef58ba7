// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// A slot for one disposable at a time. Setting another one disposes the previous one.
///
/// Any thread may set and dispose. A disposable that is set after disposal is disposed immediately. Releasing the slot
/// disposes nothing ([law 5](doc:LawsOfSignals)).
public final class SerialDisposable: Disposable {
    private struct State {
        var isDisposed = false
        var inner: (any Disposable)?
    }

    private let state = Lock(State())

    /// Creates a slot that is empty or stores `inner`.
    public init(_ inner: (any Disposable)? = nil) {
        self.inner = inner
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { state.withLock { $0.isDisposed } }

    /// The current disposable, or `nil` if there is none. It is `nil` after disposal.
    ///
    /// Setting `nil` disposes the current one. Setting the current one again does nothing.
    public var inner: (any Disposable)? {
        get { state.withLock { $0.inner } }
        set {
            let obsolete = state.withLock { state in
                if state.isDisposed { return newValue }
                let old = state.inner
                state.inner = newValue
                return old
            }
            if obsolete !== newValue || isDisposed { obsolete?.dispose() }
        }
    }

    /// Disposes the current disposable and those that are set later. Later calls do nothing.
    public func dispose() {
        let last = state.withLock { state in
            state.isDisposed = true
            return state.inner.take()
        }
        last?.dispose()
    }
}
