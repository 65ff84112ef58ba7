// SPDX-License-Identifier: MIT
package import ReactiveCore

/// A host loop under the control of a test. It runs when the test asks for it, or on its own thread until it has
/// nothing left.
package protocol DrivenHost: AnyObject, Sendable {
    /// Runs one iteration of the host loop. If `waiting` is true, blocks until the guest or the host has something to
    /// do.
    func runOnce(waiting: Bool)

    /// Runs until the host loop has nothing left. With guests, that is after their disposal.
    func runToEnd()

    /// Frees the host loop, which must have nothing left.
    func close()
}

/// The operations on a guest that the driver of its host needs.
package protocol DrivenGuest: LoopScheduler {
    func progress() throws(LoopError) -> (isIdle: Bool, callbacks: UInt64)
}
