// SPDX-License-Identifier: MIT
/// The numbers of waiting bytes at which a socket pauses and resumes the signals that it sends (rule N10).
///
/// Waiting bytes are those that the kernel has not accepted yet. Signals are paused at the high watermark, and each may
/// exceed it by at most one value. `send(_:)` has no limit.
///
/// A `high` below 1 counts as 1. A `low` outside `0..<high` is clamped to that range, when a socket is created.
public struct Watermarks: Sendable, Hashable {
    /// At this many waiting bytes, signals are paused and `isWritable` turns false. The default is 64 KiB.
    public var high: Int
    /// At this many bytes or fewer, signals are resumed and `isWritable` turns true. The default is a quarter of
    /// `high`.
    public var low: Int

    /// Creates watermarks. If `low` is nil, it is a quarter of `high`.
    public init(high: Int = 64 * 1024, low: Int? = nil) {
        self.high = max(1, high)
        self.low = min(max(0, low ?? high / 4), self.high - 1)
    }

    /// These watermarks within their ranges. They are not clamped when they are set, because the ranges depend on each
    /// other.
    var valid: Watermarks { Watermarks(high: high, low: low) }
}
