// SPDX-License-Identifier: MIT
/// The counters of a ``LoadLimiter`` since its creation. Only `underWay` decreases.
public struct LoadTotals: Sendable, Hashable {
    /// Requests that were admitted.
    public var admitted = 0
    /// Requests that were rejected because the concurrency limit was reached.
    public var rejected = 0
    /// Admitted requests that were rejected because they had waited too long. They count as ignored too.
    public var expired = 0
    /// Admitted requests that have not ended.
    public var underWay = 0
    /// Admitted requests that were answered.
    public var completed = 0
    /// Admitted requests that an overload below has ended.
    public var dropped = 0
    /// Admitted requests that were not measured: they were cancelled, rejected, or failed for another reason.
    public var ignored = 0

    /// Creates counters that are zero.
    public init() {}
}
