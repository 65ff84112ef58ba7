/// Where a scheduler reads the time.
///
/// Readings never go back. They may come from any thread. The real loops use the system's monotonic clock; a virtual one
/// stands still until something advances it, so that one engine runs on real and on simulated time.
public protocol LoopClock: Sendable {
    /// The present instant, read afresh at every call (rule T24).
    var now: LoopInstant { get }
}
