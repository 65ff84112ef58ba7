// SPDX-License-Identifier: MIT
/// A handle that cancels what a call has started: a subscription, a timer, scheduled work, or a watch.
///
/// ``dispose()`` never waits for a callback. After it has returned on the delivering thread, no callback begins (law 1,
/// Docs/Laws.md). If another thread calls it, a callback that the source has already dequeued may still begin (rules
/// T12 and T27, Docs/Contract.md). Releasing a `Disposable` does not dispose it.
///
/// A conforming type accepts ``dispose()`` from any thread, any number of times, and from the callback that it cancels.
/// Only the first call has an effect (law 5). The type must not hold a lock while user code runs (law 3).
public protocol Disposable: AnyObject, Sendable {
    /// Whether this handle has been disposed, or its work has ended by itself. Once true, it stays true. Any thread may
    /// read it.
    var isDisposed: Bool { get }

    /// Cancels the work of this handle. Later calls have no effect.
    func dispose()
}
