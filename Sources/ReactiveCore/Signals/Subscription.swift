/// One observer's hold on one source: what stops it, what it has to give back, and whether it is to wait.
///
/// The subscriber creates it and hands it to the source, so that a source that sends at once can be stopped from inside
/// its first value. It ends by `dispose()`, or with the signal. Every member may be called from any thread.
public protocol Subscription: Disposable {
    /// Whether at least one hold is out.
    var isPaused: Bool { get }

    /// Runs `teardown` once, when the subscription ends; at once if it has ended (law 5). Teardowns run in the order in
    /// which they were added, with no lock held.
    func onDispose(_ teardown: @escaping @Sendable () -> Void)

    /// Asks the source to wait until the result is disposed.
    ///
    /// Each call is a hold of its own: the source goes on when none is left. After `pause()` has returned on the
    /// delivering context no value comes; the end waits behind the values held back (law 11).
    func pause() -> any Disposable

    /// Calls `change` whenever the first hold is taken or the last one given back; at once if there is one now.
    ///
    /// Calls do not overlap, and the last one tells the present state. A source uses this to stop and to go on; it goes on
    /// without recursion.
    func onFlowChange(_ change: @escaping @Sendable (_ isPaused: Bool) -> Void)
}
