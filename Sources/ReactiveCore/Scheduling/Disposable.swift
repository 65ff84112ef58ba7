// SPDX-License-Identifier: MIT
/// A handle that cancels what a call started: a subscription, a timer, scheduled work, a watch.
///
/// ``dispose()`` never waits for a callback. Once it has returned on the delivering thread, no callback begins (law 1,
/// Docs/Laws.md). On another thread, a callback that had been taken by then may still begin (rules T12 and T27).
/// Releasing a `Disposable` does not dispose it.
///
/// To implement it: accept ``dispose()`` from any thread, any number of times, also from the callback that it cancels.
/// Only the first call has an effect (law 5). Hold no lock while code of the user runs (law 3).
public protocol Disposable: AnyObject, Sendable {
    /// Whether it was disposed, or has ended by itself. It stays true from then on. Any thread may read it.
    var isDisposed: Bool { get }

    /// Cancels it. Later calls do nothing.
    func dispose()
}
