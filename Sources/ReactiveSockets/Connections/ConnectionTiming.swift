// SPDX-License-Identifier: MIT
import ReactiveCore

/// The timers of a connection that has time limits.
final class ConnectionTiming {
    /// The limits that measure a peer without progress.
    enum Stall { case idle, read, write }

    /// The limit after the peer's end of stream, which `HalfClosedCheck` measures.
    let halfClosed: Duration?

    private var idle = StallClock()
    private var read = StallClock()
    private var write = StallClock()
    private var timers: [any Disposable] = []

    init(halfClosed: Duration?) { self.halfClosed = halfClosed }

    subscript(stall: Stall) -> StallClock {
        get {
            switch stall {
            case .idle: idle
            case .read: read
            case .write: write
            }
        }
        set {
            switch stall {
            case .idle: idle = newValue
            case .read: read = newValue
            case .write: write = newValue
            }
        }
    }

    func add(_ timer: any Disposable) { timers.append(timer) }

    /// Restarts the clocks that measure reading, because reading starts or resumes. Otherwise a pause that no check
    /// noticed would count as waiting.
    func readingBegins() {
        idle.restart()
        read.restart()
    }

    func stop() {
        for timer in timers { timer.dispose() }
        timers = []
    }
}
