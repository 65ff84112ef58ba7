// SPDX-License-Identifier: MIT
/// How `flatMap` treats a value while inner signals of earlier values are active.
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

    /// Subscribes to each signal immediately.
    public static let merge = FlattenStrategy(.concurrent(.max))

    /// Subscribes to one signal at a time, in order. While one is active, the source is paused, and values that it
    /// still sends are queued.
    public static let concat = FlattenStrategy(.concurrent(1))

    /// Subscribes to the newest signal, after disposing the previous one. If another thread is still running a teardown
    /// of the previous one, the newest starts afterwards, on that thread. Combine calls it `switchToLatest`, RxSwift
    /// `flatMapLatest`.
    public static let latest = FlattenStrategy(.latest)

    /// Drops values while a signal is active or being torn down. RxSwift calls it `flatMapFirst`, RxJS `exhaustMap`,
    /// ReactiveSwift `.throttle`.
    public static let first = FlattenStrategy(.first)

    /// Subscribes to each signal until one of them sends or terminates. Then it disposes all others and the source.
    public static let race = FlattenStrategy(.race)

    /// Subscribes to at most `limit` signals at a time. At the limit, the source is paused, and values that it still
    /// sends are queued. Zero or less counts as one.
    public static func concurrent(limit: Int) -> FlattenStrategy { FlattenStrategy(.concurrent(max(1, limit))) }
}
