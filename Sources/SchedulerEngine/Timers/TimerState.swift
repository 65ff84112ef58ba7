// SPDX-License-Identifier: MIT
import Synchronization

/// Which side owns a timer's work.
///
/// A timer that waits in the inbox is `posted`, and `queued` once the loop has taken it. A timer that does not go
/// through the inbox starts as `queued`. Both states lead to `ended`.
enum TimerState: UInt8 {
    /// In the inbox: the loop has not taken the timer yet, and owns nothing of it.
    case posted
    /// The loop has taken the timer. It waits in the queue, or it is a repeating timer that fires.
    case queued
    /// The timer has been disposed, or it is a one-shot timer that has fired.
    case ended
}

// Avoids a lookup of generic types, for the reason that `EndRequest` gives.
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
