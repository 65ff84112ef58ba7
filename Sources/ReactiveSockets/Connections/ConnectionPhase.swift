// SPDX-License-Identifier: MIT
import ReactiveCore

/// The phase of a connection: established, closing gracefully (rule N24), or closed.
///
/// Its size is one word. Its transitions call no other code: they return the timers that the caller must dispose.
enum ConnectionPhase {
    case established
    /// `close` has been called. The descriptor is still open.
    case closing(Closing)
    /// The descriptor has been closed.
    case closed

    /// Whether the descriptor is open.
    @inline(__always)
    var isOpen: Bool { if case .closed = self { false } else { true } }

    var isClosing: Bool { closing != nil }

    /// The close in progress.
    @inline(__always)
    var closing: Closing? { if case .closing(let closing) = self { closing } else { nil } }

    /// Whether everything has been sent and received bytes are discarded until the peer ends its stream.
    @inline(__always)
    var isDiscarding: Bool { if case .closing(let closing) = self { closing.isDiscarding } else { false } }

    /// Begins the close. Returns false if it has begun already.
    mutating func beginClosing() -> Bool {
        guard case .established = self else { return false }
        self = .closing(Closing())
        return true
    }

    /// Ends the phase. Returns the timers to dispose.
    mutating func end() -> [any Disposable] {
        defer { self = .closed }
        return closing?.timers ?? []
    }
}
