/// Something that was begun and can be ended: a subscription, a timer, scheduled work, a watch.
///
/// ``dispose()`` never waits for a callback. Once it has returned on the delivering thread, no callback begins (law 1). On another thread,
/// a callback that had been taken by then may still begin (rules T12 and T27).
///
/// To implement it: ``dispose()`` may be called from any thread, any number of times, also from inside the very thing it
/// ends; its effect happens once, and no lock is held while code of others runs (laws 3 and 5). Letting go of a
/// `Disposable` does not dispose it.
public protocol Disposable: AnyObject, Sendable {
    /// Whether it is over: disposed, or ended by itself. It never turns false again.
    var isDisposed: Bool { get }

    /// Ends it. The second and every later call does nothing.
    func dispose()
}
