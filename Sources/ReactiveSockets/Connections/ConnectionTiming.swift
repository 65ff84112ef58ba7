// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The timers of a connection that has time limits.
final class ConnectionTiming {
    /// The limits that measure a peer without progress.
    enum Stall: Int { case idle, read, write }

    /// The limit after the peer's end of stream, which `HalfClosedCheck` measures.
    let halfClosed: Duration?

    private var clocks = InlineArray<3, PeerClock>(repeating: PeerClock())
    private var timers: [any Disposable] = []

    init(halfClosed: Duration?) { self.halfClosed = halfClosed }

    subscript(stall: Stall) -> PeerClock {
        get { clocks[stall.rawValue] }
        set { clocks[stall.rawValue] = newValue }
    }

    func add(_ timer: any Disposable) { timers.append(timer) }

    /// Restarts the clocks that measure reading, because reading starts or resumes. Otherwise a pause that no check
    /// noticed would count as waiting.
    func readingBegins() {
        self[.idle].restart()
        self[.read].restart()
    }

    func stop() {
        for timer in timers { timer.dispose() }
        timers = []
    }
}

extension LoopScheduler {
    /// Calls `work` as often within `limit` as a `StallClock` expects, until the result is disposed.
    func scheduleChecks(
        within limit: Duration,
        keepsLoopAlive: Bool = false,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        let period = limit / PeerClock.checksPerLimit
        let options = TimerOptions(keepsLoopAlive: keepsLoopAlive)
        return schedule(at: now + period, repeating: .fixedDelay(period), options: options, work)
    }
}

/// Measures a peer without progress. Its size is 16 bytes, because each connection with time limits has three.
typealias PeerClock = StallClock<PeerWait, UInt16>

/// A connection's wait for its peer, and the progress so far. Its size is 14 bytes.
struct PeerWait: Equatable {
    /// The number of bytes received or sent.
    var transferred: Int
    /// The number of bytes in the kernel that the peer has not acknowledged.
    var unacknowledged: Int32 = 0
    var isForReading = false
    var isForSending = false

    /// The sum of this progress and that of another connection.
    func adding(_ other: PeerWait?) -> PeerWait {
        guard let other else { return self }
        var sum = self
        sum.transferred += other.transferred
        sum.unacknowledged &+= other.unacknowledged
        return sum
    }
}
