/// A subscription that knows whether teardowns still run in its tree, on whichever thread.
///
/// `dispose()` waits for nobody: where another thread is ending a child already, it returns while that child's teardowns run. An
/// owner that must not go on before all of them have returned asks here.
///
/// Why `@unchecked Sendable` is right: the class it is made of is so, and what it adds is constant.
@usableFromInline
package final class TrackedSubscription: SignalSubscription, @unchecked Sendable {
    private let tracked = SubscriptionActivity()

    @usableFromInline
    package override init() { super.init() }

    override var activity: SubscriptionActivity? { tracked }

    @usableFromInline
    override func terminationBegins() { tracked.terminations.enter() }

    @usableFromInline
    override func terminationEnds() { tracked.terminations.leave() }

    /// Calls `body` when no teardown of this subscription or of what descends from it is running: now, or on the thread whose
    /// teardown returns last. Call it when this has been disposed.
    @usableFromInline
    package func whenTornDown(_ body: @escaping @Sendable () -> Void) { tracked.teardowns.whenIdle(body) }

    /// Calls `body` now. While a source is sending the end of this subscription's signal, and tears itself down for that, it is
    /// called on the source's thread, when the source has sent it.
    @usableFromInline
    package func whenNotTerminating(_ body: @escaping @Sendable () -> Void) { tracked.terminations.whenIdle(body) }
}
