/// What one listener was notified of about pauses, in one byte. The subscription stores the notes of its first listener that
/// receives pauses; the ledger stores those of later ones.
struct FlowNotes {
    private(set) var bits: UInt8

    init(_ bits: UInt8 = 0) { self.bits = bits }

    /// The last notification: true for a pause. False before the first.
    private(set) var lastReported: Bool {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// Whether a pause has begun since the last notification. It may have ended already, but the source may have stopped for
    /// it.
    var hasMissedPause: Bool {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Whether a thread is calling the listeners. It checks for changes again after the calls have returned.
    var isReporting: Bool {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Whether any listener receives pauses.
    var hasListener: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Returns the notifications that are due. They alternate. A missed pause gives a pause and a resume, because the source
    /// may have stopped for it.
    mutating func next(_ isPaused: Bool) -> [Bool] {
        defer { hasMissedPause = false }
        if lastReported != isPaused {
            lastReported = isPaused
            return [isPaused]
        }
        return hasMissedPause && !isPaused ? [true, false] : []
    }

    private subscript(bit: UInt8) -> Bool {
        get { bits & 1 << bit != 0 }
        set { bits = newValue ? bits | 1 << bit : bits & ~(1 << bit) }
    }
}
