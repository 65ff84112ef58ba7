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
    }

    /// A change of the timers asked for by another thread.
    enum TimerChange {
        case arm(TimerEntry)
        case disarm(TimerEntry)
    }

    let work = WorkQueue()
    private(set) var timerChanges: [TimerChange] = []
    private(set) var isClosed = false

    var isEmpty: Bool { work.isEmpty && timerChanges.isEmpty }

    /// Whether it was taken; a closed inbox takes nothing.
    @inline(__always)
    mutating func post(_ piece: consuming Work) -> Bool {
        if isClosed { return false }
        work.append(piece)
        return true
    }

    /// The same for work that is handed over; refused, it stays.
    @inline(__always)
    mutating func take(_ piece: inout Work?) -> Bool {
        if isClosed { return false }
        guard let piece = piece.take() else { return true }
        return post(piece)
    }

    mutating func post(_ change: TimerChange) -> Bool {
        if isClosed { return false }
        timerChanges.append(change)
        return true
    }

    /// Moves what has been posted behind `work`, and exchanges the changes for an empty array, whose storage it uses from now on.
    mutating func move(to work: WorkQueue, timerChanges: inout [TimerChange]) {
        work.takeAll(from: self.work)
        if !self.timerChanges.isEmpty { swap(&self.timerChanges, &timerChanges) }
    }

    /// Takes nothing from now on, and gives back what was left.
    mutating func close() -> (work: [Work], timerChanges: [TimerChange]) {
        isClosed = true
        defer { timerChanges = [] }
        return (work.removeAll(), timerChanges)
    }
}
