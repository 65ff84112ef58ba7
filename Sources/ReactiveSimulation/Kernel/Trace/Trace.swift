// SPDX-License-Identifier: MIT
import ReactiveCore

/// An event of the kernel, for sequence diagrams.
struct TraceEvent: Sendable, Hashable {
    /// The kinds of events.
    enum Kind: String, Sendable {
        case connects, accepts, refuses, sends, finishes, resets, closes, loses, times, datagram
        case crashes, restarts, exits, signals
        /// A fault begins, ends or happens. The text names it.
        case fault

        /// Whether every event of the kind is a fault, or an action of the test like one. A restart ends a fault.
        var isFault: Bool { self == .crashes || self == .exits }
    }

    let time: LoopInstant
    let kind: Kind
    /// The host on which it happens.
    let host: Int
    /// The other host, if a packet travels.
    let peer: Int?
    /// The number of bytes, or another number.
    var count: Int
    let text: String
}

/// What has happened: a hash of everything, and optionally the events of a diagram.
struct Trace {
    /// A hash of every call, result and delivery. It is FNV-1a over 64-bit words, with a rotation.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The number of system calls and deliveries.
    private(set) var noteCount = 0
    /// The recorded events. nil records none, and creates no text.
    var recording: EventRecording?

    @inline(__always)
    mutating func note(_ code: UInt8, _ host: Int, _ descriptor: Int32, _ result: Int) {
        noteCount += 1
        mix(UInt64(code) << 56 ^ UInt64(truncatingIfNeeded: host) << 40 ^ UInt64(UInt32(bitPattern: descriptor)))
        mix(UInt64(bitPattern: Int64(result)))
    }

    @inline(__always)
    mutating func mix(_ word: UInt64) {
        let product = (hash ^ word) &* 0x0000_0100_0000_01B3
        hash = product << 31 | product >> 33
    }
}

extension Kernel {
    /// Records an event, if recording is on.
    ///
    /// - Parameter isFault: Whether a fault of the network has caused the event. Some kinds always count as faults.
    @inline(__always)
    mutating func record(
        _ kind: TraceEvent.Kind,
        _ host: Int,
        peer: Int? = nil,
        count: Int = 0,
        isFault: Bool = false,
        _ text: @autoclosure () -> String = ""
    ) {
        if trace.recording == nil { return }
        let time = LoopInstant(nanoseconds: now)
        let event = TraceEvent(time: time, kind: kind, host: host, peer: peer, count: count, text: text())
        trace.recording?.record(event, isFault: isFault || kind.isFault)
    }
}
