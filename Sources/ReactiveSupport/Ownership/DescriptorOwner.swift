// SPDX-License-Identifier: MIT
package import ReactiveCore

/// The owner of a watched descriptor: an object of this project that belongs to the loop. The loop calls it without a
/// closure, and notifies it of the loop's disposal.
package protocol DescriptorOwner: AnyObject {
    /// Reads and writes, as far as the descriptor is ready. The loop calls this in each turn that finds it ready.
    func descriptorBecameReady(for readiness: Readiness)

    /// The loop and the watch have been disposed. Closes the descriptor and releases all observers without notifying
    /// them.
    func abandon()
}

/// A loop that accepts such owners. This project's loops do. Other loops use closures.
package protocol OwnerWatching: AnyObject, Sendable {
    /// The mark that identifies the loop on the thread that runs it.
    var mark: CurrentScheduler.Mark { get }

    /// Watches like ``LoopScheduler/watch(_:for:_:)``. The watch retains the owner until it is disposed, by itself or
    /// with its loop.
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        owner: any DescriptorOwner
    ) throws(LoopError) -> any DescriptorWatch
}
