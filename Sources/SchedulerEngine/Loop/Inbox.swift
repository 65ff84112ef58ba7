import ReactiveCore
import ReactiveSupport

/// What other threads, and the loop itself, hand to a loop: plain state, kept under the loop's one lock.
///
/// Work from every thread goes through this one queue, so that it is first in, first out whoever gave it (rule X6).
struct Inbox {
    /// A piece of work.
    enum Work {
        case closure(@Sendable () -> Void)
        case scheduled(ScheduledWork)
        case job(UnownedJob)
        /// A place whose work has been taken out.
        case taken
    }

    /// A change of the timer heap asked for by another thread.
    enum TimerChange {
        case arm(TimerEntry)
        case disarm(TimerEntry)
    }

    private(set) var work: [Work] = []
    private(set) var timerChanges: [TimerChange] = []
    private(set) var isClosed = false

    var isEmpty: Bool { work.isEmpty && timerChanges.isEmpty }

    /// Whether it was taken; a closed inbox takes nothing.
    mutating func post(_ piece: Work) -> Bool {
        if isClosed { return false }
        if fault(.workSometimesLost, every: 100) { return true }
        if fault(.workOvertakes), case .scheduled = piece {
            work.insert(piece, at: 0)
            return true
        }
        work.append(piece)
        return true
    }

    mutating func post(_ change: TimerChange) -> Bool {
        if isClosed { return false }
        timerChanges.append(change)
        return true
    }

    /// Exchanges what has been posted for two empty arrays, whose storage it uses from now on.
    mutating func exchange(work: inout [Work], timerChanges: inout [TimerChange]) {
        swap(&self.work, &work)
        if !self.timerChanges.isEmpty { swap(&self.timerChanges, &timerChanges) }
    }

    /// Takes nothing from now on, and gives back what was left.
    mutating func close() -> (work: [Work], timerChanges: [TimerChange]) {
        isClosed = true
        defer {
            work = []
            timerChanges = []
        }
        return (work, timerChanges)
    }
}
