// SPDX-License-Identifier: MIT
/// A subscription that counts the calls that send its signal's termination.
///
/// `@unchecked Sendable` is safe: the superclass is `Sendable`, and the fields added here are constant.
@usableFromInline
package final class TrackedSubscription: SignalSubscription, @unchecked Sendable {
    private let terminations = ActivityCount()

    @usableFromInline
    package override init() {
        super.init()
    }

    @usableFromInline
    override func terminationBegins() { terminations.enter() }

    @usableFromInline
    override func terminationEnds() { terminations.leave() }

    /// Calls `body` when no source is sending the termination of this subscription's signal. If none is sending it now,
    /// `body` is called before this call returns. Otherwise the thread that sends the termination calls `body`, after
    /// the teardowns have run and the termination has been delivered.
    @usableFromInline
    package func whenNotTerminating(_ body: @escaping @Sendable () -> Void) { terminations.whenIdle(body) }
}
