// SPDX-License-Identifier: MIT
/// A subscription that counts the teardowns that still run in its tree, on any thread.
///
/// `dispose()` does not wait: if another thread is already ending a child, the call returns while that child's
/// teardowns run. An owner that must wait for all of them uses ``whenTornDown(_:)``.
///
/// `@unchecked Sendable` is safe: the superclass is `Sendable`, and the field added here is constant.
@usableFromInline
package final class TrackedSubscription: SignalSubscription, @unchecked Sendable {
    private let tracked: SubscriptionActivity

    @usableFromInline
    package override init() {
        tracked = SubscriptionActivity()
        super.init()
    }

    /// Creates a subscription that propagates `context`.
    init(carrying context: PropagatedContext) {
        tracked = SubscriptionActivity(context)
        super.init()
    }

    override var activity: SubscriptionActivity? { tracked }

    override func finish(_ last: SubscriptionLedger.Last) { restoring { last.reportEnd() } }

    @usableFromInline
    override func terminationBegins() { tracked.terminations.enter() }

    @usableFromInline
    override func terminationEnds() { tracked.terminations.leave() }

    /// Calls `body` when no teardown of this subscription or of a descendant is running. If none is running now, `body`
    /// is called before this call returns. Otherwise the thread whose teardown returns last calls `body`. Call it after
    /// disposal.
    @usableFromInline
    package func whenTornDown(_ body: @escaping @Sendable () -> Void) { tracked.teardowns.whenIdle(body) }

    /// Calls `body` when no source is sending the termination of this subscription's signal. If none is sending it now,
    /// `body` is called before this call returns. Otherwise the thread that sends the termination calls `body`, after
    /// the teardowns have run and the termination has been delivered.
    @usableFromInline
    package func whenNotTerminating(_ body: @escaping @Sendable () -> Void) { tracked.terminations.whenIdle(body) }
}
