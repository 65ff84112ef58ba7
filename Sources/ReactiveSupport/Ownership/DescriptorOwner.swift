package import ReactiveCore

/// Whose descriptor is watched, where that is an object of the project's own: it is told without a closure between, and hears of the
/// loop's end. It belongs to the loop.
package protocol DescriptorOwner: AnyObject {
    /// The descriptor is ready.
    func isReady(for readiness: Readiness)

    /// The loop is over, and the watch with it: closes the descriptor and lets go of everybody, without a word.
    func abandon()
}

/// A loop that takes such owners. The project's own do; for others there are closures.
package protocol OwnerWatching: AnyObject, Sendable {
    /// What says whether it is the loop that runs on a thread.
    var mark: CurrentScheduler.Mark { get }

    /// Watches as ``LoopScheduler/watch(_:for:_:)`` does. The watch keeps the owner until it is disposed, or over with its loop.
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        owner: any DescriptorOwner
    ) throws(LoopError) -> any DescriptorWatch
}
