/// Somebody else's loop that runs ours as a guest while our own `run` does not.
package protocol LoopHost: AnyObject, Sendable {
    /// Our `run` takes over, on this thread: call no turn until it ends.
    func runWillBegin()

    /// Our `run` has ended.
    func runDidEnd()

    /// The loop has been disposed: let go of it.
    func loopWasDisposed()
}
