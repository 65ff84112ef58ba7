// SPDX-License-Identifier: MIT
/// A watch of a descriptor, which calls its closure on the loop until it is disposed.
///
/// Keep the descriptor open until all its watches are disposed. ``LoopScheduler/watch(_:for:_:)`` says when you may
/// close it.
public protocol DescriptorWatch: LoopHandle {
    /// The readiness that is watched for. After `dispose` it keeps its last value.
    ///
    /// Read it on the loop's thread, or while the loop does not run. On another thread, reading traps.
    var interest: Readiness { get }

    /// Changes the interest. With an empty interest the watch reports nothing, not even hang-ups (rule N23).
    ///
    /// Call it on the loop's thread, also in the watch's own callback, or while the loop does not run. After `dispose`
    /// it does nothing.
    ///
    /// - Throws: `wrongThread` on another thread while the loop runs; `badDescriptor` if the descriptor is no longer
    ///   open; `disposed` and `forked` for the loop; `systemCall`. After an error the interest is unchanged.
    func setInterest(_ interest: Readiness) throws(LoopError)
}
