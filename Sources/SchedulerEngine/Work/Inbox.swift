// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The work and timer changes posted to a loop: plain state, under the loop's one lock.
///
/// Work from every thread goes through this one queue, so it runs in the order of the posts (rule X6).
struct Inbox {
    /// One item of work.
    enum Work {
        case closure(@Sendable () -> Void)
        case scheduled(ScheduledWork)
        case job(UnownedJob)
    }

    /// A change of the timers that another thread has posted.
    enum TimerChange {
        case insert(TimerEntry)
        case remove(TimerEntry)
    }

    let work = WorkQueue()
    private(set) var timerChanges: [TimerChange] = []
    private(set) var isClosed = false
    /// The number of entries of `work` and of `timerChanges` that have been cancelled since the loop last took them. It
    /// may include entries that the loop has taken already.
    private var cancelledWork = 0
    private var cancelledTimers = 0

    var isEmpty: Bool { work.isEmpty && timerChanges.isEmpty }

    /// Appends work. Returns false if the inbox is closed.
    @inline(__always)
    mutating func post(_ piece: consuming Work) -> Bool {
        if isClosed { return false }
        work.append(piece)
        return true
    }

    /// Appends work and sets `piece` to nil. Returns false if the inbox is closed; `piece` then stays as it is.
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

    /// Moves the posted work behind `work`, and exchanges the changes for an empty array, whose storage it uses from
    /// now on.
    mutating func move(to work: WorkQueue, timerChanges: inout [TimerChange]) {
        (cancelledWork, cancelledTimers) = (0, 0)
        work.takeAll(from: self.work)
        if !self.timerChanges.isEmpty { swap(&self.timerChanges, &timerChanges) }
    }

    // MARK: Cancellation

    /// The inbox keeps fewer cancelled entries than this until the loop takes them.
    private static let mostCancelled = 64

    /// Counts one cancelled item of work, and removes all of them once they are half of the queue. So a loop that does
    /// not run needs little more memory than its live work, and a cancellation takes constant amortized time.
    mutating func didCancelWork() {
        cancelledWork += 1
        guard cancelledWork >= Self.mostCancelled, cancelledWork * 2 >= work.count else { return }
        cancelledWork = 0
        work.dropCancelled()
    }

    /// Counts one cancelled timer that the loop has not taken yet, and removes all of them once they are half of the
    /// changes. Returns what the caller must release outside the lock.
    mutating func didCancelTimer() -> [TimerChange] {
        cancelledTimers += 1
        guard cancelledTimers >= Self.mostCancelled, cancelledTimers * 2 >= timerChanges.count else { return [] }
        cancelledTimers = 0
        let all = timerChanges
        timerChanges = all.filter { change in
            if case .insert(let entry) = change { !entry.isDisposed } else { true }
        }
        return all
    }

    /// Refuses posts from now on, and returns what was left.
    mutating func close() -> (work: [Work], timerChanges: [TimerChange]) {
        isClosed = true
        defer { timerChanges = [] }
        return (work.removeAll(), timerChanges)
    }
}
