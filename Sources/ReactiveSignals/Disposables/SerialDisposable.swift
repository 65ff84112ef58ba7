public import ReactiveCore
import ReactiveSupport

/// A place for one disposable at a time; putting another one there disposes the one before (law 5).
///
/// Any thread may set and dispose. What is put into one that is disposed is disposed at once.
public final class SerialDisposable: Disposable {
    private struct State {
        var isDisposed = false
        var inner: (any Disposable)?
    }

    private let state = Lock(State())

    /// Makes one that is empty, or holds `inner`.
    public init(_ inner: (any Disposable)? = nil) {
        self.inner = inner
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { state.withLock { $0.isDisposed } }

    /// What is there now; nil where nothing is, and after disposal.
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

    /// Disposes what is there now, and whatever is put there later; the second call does nothing.
    public func dispose() {
        let last = state.withLock { state in
            state.isDisposed = true
            let last = state.inner
            state.inner = nil
            return last
        }
        last?.dispose()
    }
}
