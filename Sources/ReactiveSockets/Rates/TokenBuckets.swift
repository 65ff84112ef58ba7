// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A token bucket for each key, such as the ``AddressPrefix`` of a peer, in a bounded amount of memory.
///
/// A key that has no entry has a full bucket. Up to `capacity` keys have exact buckets. The table consists of sets of
/// eight entries, and a random hash chooses the set of a key. If all entries of the set belong to other keys, the key
/// takes over the entry that is closest to full, together with its missing tokens. So:
///
/// - The table never grows, and an access examines eight entries.
/// - Many keys cannot restore the tokens of one of them. A key that returns after its eviction finds at least as many
///   tokens missing as it had left, apart from the time that has passed.
/// - A new key is refused only if eight other keys of its set have used up their tokens.
///
/// It is a value without a clock and without a lock: each call receives the instant. The memory is allocated at the first
/// call of ``take(_:for:at:)``.
public struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// The rate of each key.
    public let rate: TokenRate
    /// The number of entries.
    public let capacity: Int

    private struct Entry: Sendable {
        var key: Key?
        var full = LoopInstant.distantPast
    }

    private var entries: [Entry] = []

    private static var ways: Int { 8 }

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - rate: The rate of each key.
    ///   - capacity: The number of entries, rounded up to a multiple of eight. A value below 8 counts as 8, and a value
    ///     above 2^24 as that number.
    public init(_ rate: TokenRate, capacity: Int = 8192) {
        self.rate = rate
        let sets = (min(max(1, capacity), 1 << 24) + Self.ways - 1) / Self.ways
        self.capacity = sets * Self.ways
    }

    /// Removes `count` tokens of `key` and returns true, or returns false and removes none if there are fewer.
    ///
    /// - Parameters:
    ///   - count: The number of tokens. Zero and less always succeed. More than `rate.burst` never succeed.
    ///   - key: The key.
    ///   - now: The current instant.
    public mutating func take(_ count: Int = 1, for key: Key, at now: LoopInstant) -> Bool {
        guard count > 0 else { return true }
        if entries.isEmpty { entries = Array(repeating: Entry(), count: capacity) }
        let index = entry(of: key, at: now)
        // A key is stored only with missing tokens, so an entry that is full or was never used stays available.
        guard rate.take(count, &entries[index].full, at: now) else { return false }
        entries[index].key = key
        return true
    }

    /// The index of the key's entry, or of the entry that it takes over: the one that is closest to full.
    private func entry(of key: Key, at now: LoopInstant) -> Int {
        let sets = UInt(capacity / Self.ways)
        let first = Int(UInt(bitPattern: key.hashValue) % sets) * Self.ways
        var fullest = first
        for index in first..<first + Self.ways {
            if entries[index].key == key { return index }
            if entries[index].full < entries[fullest].full { fullest = index }
        }
        return fullest
    }
}
