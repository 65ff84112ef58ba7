// SPDX-License-Identifier: MIT
/// A change of a subscription, as its listeners receive it.
@usableFromInline
package enum SubscriptionChange: Sendable {
    /// The first pause has begun.
    case paused
    /// The last pause has ended.
    case resumed
    /// Only operators pause the subscription now, so a failure may overtake values (law 9). This may be reported during
    /// another notification, and the state may have changed since.
    case failuresMayPass
    /// The subscription has been disposed, or its signal has terminated.
    case over
}

/// A listener for the end, for pauses, or for both.
enum SubscriptionListener {
    case end(@Sendable () -> Void)
    case flow(@Sendable (Bool) -> Void)
    case changes(@Sendable (SubscriptionChange) -> Void)

    /// Whether it is notified when a pause begins or ends.
    var receivesPauses: Bool { if case .end = self { false } else { true } }

    func report(isPaused: Bool) {
        switch self {
        case .end: break
        case .flow(let change): change(isPaused)
        case .changes(let change): change(isPaused ? .paused : .resumed)
        }
    }

    func reportFailuresMayPass() {
        if case .changes(let change) = self { change(.failuresMayPass) }
    }

    func reportEnd() {
        switch self {
        case .end(let teardown): teardown()
        case .flow: break
        case .changes(let change): change(.over)
        }
    }
}

/// Flags for notifying a subscription's listeners, packed into one byte.
struct FlowState {
    private(set) var bits: UInt8

    private static let reporting: UInt8 = 0b0100
    private static let listened: UInt8 = 0b1000

    init(_ bits: UInt8 = 0) { self.bits = bits }

    /// The notes about the first listener that receives pauses. The ledger stores the notes about later ones.
    var notes: ListenerNotes {
        get { ListenerNotes(bits & ListenerNotes.mask) }
        set { bits = bits & ~ListenerNotes.mask | newValue.bits }
    }

    /// Whether a thread is calling the listeners. That thread checks for changes again when the calls have returned.
    var isReporting: Bool {
        get { bits & Self.reporting != 0 }
        set { bits = newValue ? bits | Self.reporting : bits & ~Self.reporting }
    }

    /// Whether any listener receives pauses.
    var hasListener: Bool { bits & Self.listened != 0 }

    /// Records that the first listener that receives pauses has been added.
    mutating func addListener(_ notes: ListenerNotes) {
        bits |= Self.listened
        self.notes = notes
    }
}

/// A record of the pauses that one listener has been notified of, in two bits.
struct ListenerNotes {
    private(set) var bits: UInt8

    /// The bits that notes use.
    static let mask: UInt8 = 0b11
    private static let reported: UInt8 = 0b01
    private static let missed: UInt8 = 0b10

    init(_ bits: UInt8 = 0) { self.bits = bits }

    init(hasMissedPause: Bool) { bits = hasMissedPause ? Self.missed : 0 }

    /// Whether the last notification reported a pause. It is false before the first notification.
    var lastReported: Bool { bits & Self.reported != 0 }

    /// Whether a pause has begun since the last notification. The pause may have ended again, but the source may have
    /// seen it and stopped.
    var hasMissedPause: Bool { bits & Self.missed != 0 }

    /// Records that a pause has begun, and that the listener has not been notified of it.
    mutating func missPause() { bits |= Self.missed }

    /// Records the current state as reported, and returns the notifications that are due: `true` for a pause, `false`
    /// for a resume. They alternate. A missed pause that has ended is reported as a pause and a resume, because the
    /// source may have stopped for it.
    mutating func takeNext(_ isPaused: Bool) -> [Bool] {
        let hasMissedPause = hasMissedPause
        let wasPaused = lastReported
        bits = isPaused ? Self.reported : 0
        if wasPaused != isPaused { return [isPaused] }
        return hasMissedPause && !isPaused ? [true, false] : []
    }
}
