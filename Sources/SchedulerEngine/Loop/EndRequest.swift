import Synchronization

/// Why a run has to end.
enum EndRequest: UInt8 {
    case none
    /// `stop` was called: one run ends, and takes the request out.
    case stop
    /// The loop has been disposed. This is final.
    case disposal
}

// The standard library's conversion for raw values looks up generic types at run time in debug builds. The lookup takes a lock
// of Swift's runtime, and a forked child finds that lock held if another thread of the parent was in the lookup.
extension EndRequest: AtomicRepresentable {
    typealias AtomicRepresentation = UInt8.AtomicRepresentation

    static func encodeAtomicRepresentation(_ value: consuming EndRequest) -> AtomicRepresentation {
        UInt8.encodeAtomicRepresentation(value.rawValue)
    }

    static func decodeAtomicRepresentation(_ storage: consuming AtomicRepresentation) -> EndRequest {
        switch UInt8.decodeAtomicRepresentation(storage) {
        case EndRequest.disposal.rawValue: .disposal
        case EndRequest.stop.rawValue: .stop
        default: .none
        }
    }
}
