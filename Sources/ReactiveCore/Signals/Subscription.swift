// SPDX-License-Identifier: MIT
/// The subscription of one observer to one source. It stores the teardowns and the pauses.
///
/// The subscriber creates the subscription and passes it to the source. So the subscriber can dispose it within the
/// first value, even if the source sends synchronously. The subscription ends when it is disposed or when the signal
/// terminates. Any thread may call every member.
public protocol Subscription: Disposable {
    /// Whether at least one pause is active.
    var isPaused: Bool { get }

    /// Calls `teardown` once, when the subscription ends. If the subscription has already ended, calls it immediately
    /// (law 5). Teardowns run in the order in which they were added, with no lock held.
    func onDispose(_ teardown: @escaping @Sendable () -> Void)

    /// Pauses the source until the result is disposed.
    ///
    /// Each call is a separate pause. The source resumes when the last pause has been disposed. After `pause()` has
    /// returned on the delivering thread, no value arrives. The termination waits behind the values that the pause
    /// delays (law 11).
    func pause() -> any Disposable

    /// Calls `change` when the first pause begins and when the last one ends. If the subscription is already paused,
    /// calls `change` immediately.
    ///
    /// Calls do not overlap, and the last call reports the current state. A source uses `change` to stop and resume.
    /// A pause or resume during a call of `change` is reported after that call has returned, so calls do not nest.
    func onFlowChange(_ change: @escaping @Sendable (_ isPaused: Bool) -> Void)
}
