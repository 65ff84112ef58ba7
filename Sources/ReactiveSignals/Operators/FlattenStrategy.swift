/// What `flatMap` does when a value comes while signals made of earlier ones are still sending.
public struct FlattenStrategy: Sendable, Hashable {
    @usableFromInline
    let limit: Int

    @inlinable
    init(limit: Int) {
        self.limit = limit
    }

    /// Subscribes to every signal as it comes.
    public static let merge = FlattenStrategy(limit: .max)

    /// Subscribes to one after the other.
    public static let concat = FlattenStrategy(limit: 1)

    /// Subscribes to at most `limit` at a time; the source is held back meanwhile. Zero and less count as one.
    public static func concurrent(limit: Int) -> FlattenStrategy { FlattenStrategy(limit: max(1, limit)) }
}
