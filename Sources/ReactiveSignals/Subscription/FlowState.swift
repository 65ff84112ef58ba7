// SPDX-License-Identifier: MIT
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
