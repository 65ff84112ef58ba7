import Synchronization

/// Why a run has to end.
enum EndRequest: UInt8, AtomicRepresentable {
    case none
    /// `stop` was called: one run ends, and takes the request out.
    case stop
    /// The loop has been disposed. This is final.
    case disposal
}
