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
    /// How much of `work` and how many of `timerChanges` have been cancelled since the loop last took them. An entry that the loop has
    /// taken already may be counted too.
    private var cancelledWork = 0
    private var cancelledTimers = 0

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
        (cancelledWork, cancelledTimers) = (0, 0)
        work.takeAll(from: self.work)
        if !self.timerChanges.isEmpty { swap(&self.timerChanges, &timerChanges) }
    }

    // MARK: Cancellation

    /// Fewer cancelled entries than this stay until the loop takes them.
    private static let mostCancelled = 64

    /// Counts one cancelled piece of work, and removes all of them when they are half of the queue. So a loop that does not run holds
    /// no more memory than its live work needs, and a cancellation costs the same however much work there is.
    mutating func didCancelWork() {
        cancelledWork += 1
        guard cancelledWork >= Self.mostCancelled, cancelledWork * 2 >= work.count else { return }
        cancelledWork = 0
        work.dropCancelled()
    }

    /// Does the same for a timer that the loop has not taken yet. Returns what the caller has to release outside the lock.
    mutating func didCancelTimer() -> [TimerChange] {
        cancelledTimers += 1
        guard cancelledTimers >= Self.mostCancelled, cancelledTimers * 2 >= timerChanges.count else { return [] }
        cancelledTimers = 0
        let all = timerChanges
        timerChanges = all.filter { change in
            if case .arm(let entry) = change { !entry.isDisposed } else { true }
        }
        return all
    }

    /// Takes nothing from now on, and gives back what was left.
    mutating func close() -> (work: [Work], timerChanges: [TimerChange]) {
        isClosed = true
        defer { timerChanges = [] }
        return (work.removeAll(), timerChanges)
    }
}
