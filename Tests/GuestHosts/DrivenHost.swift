package import ReactiveCore

/// A host's loop of a test's own: it runs when the test says so, or on a thread of its own until nothing is left in it.
package protocol DrivenHost: AnyObject, Sendable {
    /// Lets the host's loop go round once. With `waiting` it waits until there is something to do, the guest's or its own.
    func runOnce(waiting: Bool)

    /// Runs until nothing is left in the host's loop: for a host that has guests, until they are disposed.
    func runToEnd()

    /// Gives the host's loop back. Nothing is left in it.
    func close()
}

/// The operations on a guest for the driver of its host.
package protocol DrivenGuest: LoopScheduler {
    func progress() throws(LoopError) -> (isIdle: Bool, callbacks: UInt64)
}
