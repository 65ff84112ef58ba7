/// What a listener has received about pauses, in one byte. The subscription's own notes are those of the first listener that receives
/// pauses.
struct FlowNotes {
    private(set) var bits: UInt8

    init(_ bits: UInt8 = 0) { self.bits = bits }

    /// What was said last.
    private(set) var lastReported: Bool {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// Whether there was a pause since: it may be over, but not without effect.
    var hasMissedPause: Bool {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Whether somebody is calling the listeners, and will look again when they have returned.
    var isReporting: Bool {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Whether anybody hears of pauses.
    var hasListener: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// What it is to be told now: never the same twice running, and no pause left out after which it has to go on.
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
