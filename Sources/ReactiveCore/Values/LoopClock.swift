// SPDX-License-Identifier: MIT
/// The clock of a scheduler. It never goes back, and any thread may read it.
///
/// Real loops use the system's monotonic clock. A virtual clock moves only when code advances it, so the same engine
/// runs in real and in simulated time.
public protocol LoopClock: Sendable {
    /// The current instant. Each access reads the clock (rule T24).
    var now: LoopInstant { get }
}
