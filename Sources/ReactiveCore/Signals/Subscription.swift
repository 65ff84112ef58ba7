// SPDX-License-Identifier: MIT
/// The subscription of one observer to one source: its disposal, its teardowns, and its pauses.
///
/// The subscriber creates it and passes it to the source. So a source that sends synchronously can be stopped from inside its
/// first value. The subscription ends with `dispose()`, or with the signal. Any thread may call every member.
public protocol Subscription: Disposable {
    /// Whether at least one pause is in force.
    var isPaused: Bool { get }

    /// Calls `teardown` once, when the subscription ends, or immediately if it has ended (law 5). Teardowns run in the order in
    /// which they were added, with no lock held.
    func onDispose(_ teardown: @escaping @Sendable () -> Void)

    /// Pauses the source until the result is disposed.
    ///
    /// Each call is a separate pause. The source resumes when the last one has ended. After `pause()` has returned on the
    /// delivering context, no value arrives. The termination waits behind the values that the pause delays (law 11).
    func pause() -> any Disposable

    /// Calls `change` when the first pause begins and when the last one ends, and immediately if the subscription is paused now.
    ///
    /// Calls do not overlap, and the last one reports the present state. A source uses this to stop and to resume. It resumes
    /// without recursion.
    func onFlowChange(_ change: @escaping @Sendable (_ isPaused: Bool) -> Void)
}
