/// How much a connection holds for a slow peer before it asks its senders to wait.
public struct Watermarks: Sendable, Hashable {
    /// At this many bytes waiting, senders are held back and `isWritable` turns false. 64 KiB unless said otherwise.
    public var high: Int
    /// At this many bytes or fewer, they go on and `isWritable` turns true. A quarter of `high` unless said otherwise.
    public var low: Int

    /// Makes watermarks. A `high` below 1 counts as 1; a `low` outside `0..<high` is moved into it.
    public init(high: Int = 64 * 1024, low: Int? = nil) {
        self.high = max(1, high)
        self.low = min(max(0, low ?? high / 4), self.high - 1)
    }
}
