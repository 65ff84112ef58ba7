// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The work and timer changes that threads have posted to a loop. The loop's lock protects this value.
///
/// The work of all threads is appended to one queue, so it runs in the order of the posts (rule X6).
struct Inbox {
    /// One item of work.
    enum Work {
        case closure(@Sendable () -> Void)
        case scheduled(ScheduledWork)
        case job(UnownedJob)
    }

    /// A posted change of the timers.
    enum TimerChange {
        case insert(TimerEntry)
        case remove(TimerEntry)
    }

    let work = WorkQueue()
    private(set) var timerChanges: [TimerChange] = []
    private(set) var isClosed = false
    /// The numbers of entries of `work` and of `timerChanges` that have been cancelled since the loop last emptied the
    /// inbox. They may include entries that the loop has already taken.
    private var cancelledWork = 0
    private var cancelledTimers = 0

    var isEmpty: Bool { work.isEmpty && timerChanges.isEmpty }

    /// Appends work. Returns false if the inbox is closed.
    @inline(__always)
    mutating func post(_ item: consuming Work) -> Bool {
        if isClosed { return false }
        work.append(item)
        return true
    }

    /// Appends work and sets `item` to nil. Returns false if the inbox is closed, and leaves `item` unchanged.
    @inline(__always)
    mutating func take(_ item: inout Work?) -> Bool {
        if isClosed { return false }
        guard let item = item.take() else { return true }
        return post(item)
    }

    mutating func post(_ change: TimerChange) -> Bool {
        if isClosed { return false }
        timerChanges.append(change)
        return true
    }

    /// Appends the posted work to `work`. Swaps the timer changes with the empty array `timerChanges`, so that its
    /// storage is reused.
    mutating func move(to work: WorkQueue, timerChanges: inout [TimerChange]) {
        (cancelledWork, cancelledTimers) = (0, 0)
        work.takeAll(from: self.work)
        if !self.timerChanges.isEmpty { swap(&self.timerChanges, &timerChanges) }
    }

    // MARK: Cancellation

    /// The number of cancelled entries from which the inbox considers removing them.
    private static let mostCancelled = 64

    /// Counts a cancelled item of work. When half of the queue is cancelled, removes all cancelled items. So the queue
    /// of a loop that does not run needs little more memory than its live work. A cancellation takes constant amortized
    /// time.
    mutating func didCancelWork() {
        cancelledWork += 1
        guard cancelledWork >= Self.mostCancelled, cancelledWork * 2 >= work.count else { return }
        cancelledWork = 0
        work.dropCancelled()
    }

    /// Counts a cancelled timer that the loop has not taken yet. When half of the changes are cancelled, removes all
    /// cancelled timers. Returns the objects that the caller must release outside the lock.
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

    /// Closes the inbox and returns its contents. A closed inbox refuses posts.
    mutating func close() -> (work: [Work], timerChanges: [TimerChange]) {
        isClosed = true
        return (work.removeAll(), timerChanges.takeAll())
    }
}
