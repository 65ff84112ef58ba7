/// What happens to values that cannot be delivered yet, because the observer is paused or another delivery is under way.
///
/// The two cases have separate policies. No value that waits for a delivery is dropped, unless the subject has been given a
/// policy for such values (law 4). If the observer is paused when the value's delivery begins, the policy for pauses applies to
/// it.
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

    /// Keeps every value. Only memory limits it, so use it if the observer catches up with the source eventually.
    public static let unbounded = BufferPolicy(.grow, .max)

    /// Keeps the last `limit` values. Zero or less keeps none.
    public static func dropOldest(_ limit: Int) -> BufferPolicy { BufferPolicy(.dropOldest, limit) }

    /// Keeps the first `limit` values. Zero or less keeps none.
    public static func dropNewest(_ limit: Int) -> BufferPolicy { BufferPolicy(.dropNewest, limit) }
}
