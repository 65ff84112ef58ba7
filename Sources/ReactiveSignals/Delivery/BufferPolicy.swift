// SPDX-License-Identifier: MIT
/// The policy for values that cannot be delivered yet, because the observer is paused or another delivery is in
/// progress.
///
/// A source has a separate policy for each of the two cases. Values that wait for another delivery are never dropped,
/// except by a ``Subject`` or ``Property`` that limits them ([law 4](doc:LawsOfSignals)). A value that was queued
/// behind another delivery is subject to the pause policy if the observer is paused when its turn comes. A policy never
/// drops a termination, and a termination does not count toward the limit.
public struct BufferPolicy: Sendable, Hashable {
    @usableFromInline
    enum Full: Sendable, Hashable {
        case grow, dropOldest, dropNewest
    }

    @usableFromInline
    let full: Full
    @usableFromInline
    let limit: Int

    @inlinable
    init(_ full: Full, _ limit: Int) {
        self.full = full
        self.limit = max(0, limit)
    }

    /// Keeps every value. Memory use is unbounded, so use it only if the observer eventually catches up with the
    /// source.
    public static let unbounded = BufferPolicy(.grow, .max)

    /// Keeps the last `limit` values and drops older ones. Zero or less keeps none.
    public static func dropOldest(_ limit: Int) -> BufferPolicy { BufferPolicy(.dropOldest, limit) }

    /// Keeps the first `limit` values and drops later ones. Zero or less keeps none.
    public static func dropNewest(_ limit: Int) -> BufferPolicy { BufferPolicy(.dropNewest, limit) }
}
