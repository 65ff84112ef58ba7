// SPDX-License-Identifier: MIT
package import ReactiveCore

/// The owner of a watched descriptor, such as a socket of this project. The loop calls the owner directly instead of
/// through a closure, and notifies the owner when the loop is disposed.
package protocol DescriptorOwner: AnyObject {
    /// Reads and writes while the descriptor is ready. The loop calls this once in each turn in which the descriptor is
    /// ready.
    func descriptorBecameReady(for readiness: Readiness)

    /// Closes the descriptor and releases all observers without notifying them. The loop and the watch have been
    /// disposed.
    func abandon()
}

/// A loop that accepts a ``DescriptorOwner``. This project's loops do. Other loops use closures.
package protocol OwnerWatching: AnyObject, Sendable {
    /// The mark that identifies the loop on the thread that runs it.
    var mark: CurrentScheduler.Mark { get }

    /// Why the loop refuses all calls, or nil if it does not.
    var refusal: LoopError? { get }

    /// Watches `descriptor` like ``LoopScheduler/watch(_:for:_:)``. The watch retains the owner until the watch or the
    /// loop is disposed.
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        owner: any DescriptorOwner
    ) throws(LoopError) -> any DescriptorWatch
}
