// SPDX-License-Identifier: MIT
import Synchronization

/// Why a run must end.
enum EndRequest: UInt8 {
    case none
    /// `stop` was called. It ends one run, and that run clears the request.
    case stop
    /// The loop has been disposed. Nothing clears this request.
    case disposal
}

// In debug builds the conversion of the standard library for raw values looks up generic types at run time, under a
// lock of the Swift runtime. If a thread of the parent holds that lock during a fork, it stays locked in the child.
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
