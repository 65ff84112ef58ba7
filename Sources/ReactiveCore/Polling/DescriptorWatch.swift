// SPDX-License-Identifier: MIT
/// The watch that ``LoopScheduler/watch(_:for:_:)`` returns. The loop calls its closure until the watch is disposed.
///
/// Dispose all watches of a descriptor before you close it. ``LoopScheduler/watch(_:for:_:)`` explains when closing is
/// safe.
public protocol DescriptorWatch: LoopHandle {
    /// The readiness that the watch reports. Disposal does not change it.
    ///
    /// Read it on the loop's thread, or while the loop does not run. On another thread, reading traps.
    var interest: Readiness { get }

    /// Changes the interest. With an empty interest the watch reports nothing, not even hang-ups (rule N23).
    ///
    /// Call it on the loop's thread, or while the loop does not run. The watch's own callback may call it. After
    /// `dispose()` it has no effect.
    ///
    /// - Throws: `wrongThread` on another thread while the loop runs; `badDescriptor` if the descriptor is no longer
    ///   open; `disposed` if the loop has been disposed; `forked` in a forked child; `systemCall` if the system or the
    ///   library refuses. After an error the interest is unchanged.
    func setInterest(_ interest: Readiness) throws(LoopError)
}
