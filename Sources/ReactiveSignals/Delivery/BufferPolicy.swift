/// What becomes of values that cannot be delivered yet, because the observer is paused or another delivery is under way.
///
/// The two are told apart: a policy for pauses has nothing to say about values that wait for a delivery, of which none is
/// dropped unless the subject has been given a policy for these too (law 4). Where the observer is paused when their turn
/// comes they are kept, or not, as all others.
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

    /// Keeps every value. Memory is the limit; it is right where the source is slower than its observers in the end.
    public static let unbounded = BufferPolicy(.grow, .max)

    /// Keeps the last `limit` values. Zero and less: keeps none, what comes meanwhile is dropped.
    public static func dropOldest(_ limit: Int) -> BufferPolicy { BufferPolicy(.dropOldest, limit) }

    /// Keeps the first `limit` values. Zero and less: keeps none, what comes meanwhile is dropped.
    public static func dropNewest(_ limit: Int) -> BufferPolicy { BufferPolicy(.dropNewest, limit) }
}
