/// What `flatMap` does when a value comes while signals made of earlier ones are still sending.
public struct FlattenStrategy: Sendable, Hashable {
    @usableFromInline
    enum Kind: Sendable, Hashable {
        case concurrent(Int), latest, first, race
    }

    @usableFromInline
    let kind: Kind

    @inlinable
    init(_ kind: Kind) {
        self.kind = kind
    }

    /// Subscribes to every signal as it comes.
    public static let merge = FlattenStrategy(.concurrent(.max))

    /// Subscribes to one after the other.
    public static let concat = FlattenStrategy(.concurrent(1))

    /// Lets go of the signal made last when a new value comes: `switchToLatest`, `flatMapLatest` elsewhere.
    public static let latest = FlattenStrategy(.latest)

    /// Drops values that come while a signal is sending: `flatMapFirst`, `exhaustMap`, `.throttle` elsewhere.
    public static let first = FlattenStrategy(.first)

    /// Subscribes to every signal as it comes until one of them sends or ends; from then on that one alone, and all else,
    /// the source as well, is let go of.
    public static let race = FlattenStrategy(.race)

    /// Subscribes to at most `limit` at a time; the source is held back meanwhile. Zero and less count as one.
    public static func concurrent(limit: Int) -> FlattenStrategy { FlattenStrategy(.concurrent(max(1, limit))) }
}
