// SPDX-License-Identifier: MIT
import Synchronization

/// The state of a timer. It says whether the loop owns the timer's work.
///
/// A timer in the inbox is `posted`. It becomes `queued` when the loop takes it from the inbox. A timer that is not
/// posted starts as `queued`. Both states change to `ended`.
enum TimerState: UInt8 {
    /// The timer is in the inbox. The loop does not own its work yet.
    case posted
    /// The loop owns the timer. The timer is in the queue, or it is a repeating timer that fires.
    case queued
    /// The timer has been disposed, or it is a one-shot timer that has fired.
    case ended
}

// Avoids the run-time lookup of generic types that `EndRequest` describes.
extension TimerState: AtomicRepresentable {
    typealias AtomicRepresentation = UInt8.AtomicRepresentation

    @inline(__always)
    static func encodeAtomicRepresentation(_ value: consuming TimerState) -> AtomicRepresentation {
        UInt8.encodeAtomicRepresentation(value.rawValue)
    }

    @inline(__always)
    static func decodeAtomicRepresentation(_ storage: consuming AtomicRepresentation) -> TimerState {
        switch UInt8.decodeAtomicRepresentation(storage) {
        case TimerState.posted.rawValue: .posted
        case TimerState.queued.rawValue: .queued
        default: .ended
        }
    }
}
