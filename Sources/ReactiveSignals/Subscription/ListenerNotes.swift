// SPDX-License-Identifier: MIT
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
