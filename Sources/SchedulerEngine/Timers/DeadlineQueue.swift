package import ReactiveCore
import ReactiveSupport

/// Timers, ordered by effective deadline, then nominal deadline, then insertion (rules T6, T7).
///
/// In two parts, and the first of all is the first of one. Who is due after the last of the run goes behind it, which takes the
/// same however many there are: timeouts of one length and timers of one period come in that order. All others are in the heap.
///
/// An entry does not know its place. One that is cancelled is marked, and its node stays until it comes to the front or half of
/// the nodes are such; so cancelling costs the same however many there are, and the memory is given back by twice as many
/// cancellations at the latest. The effective deadline is where leeway has moved the timer to; see
/// `LoopInstant.coalesced(slack:)`.
package final class DeadlineQueue<Entry: DeadlineQueueEntry> {
    /// The first of neither is a cancelled one.
    private let run = DeadlineRun<Entry>()
    private let heap = DeadlineHeap<Entry>()
    private var cancelledCount = 0

    package init() {}

    package var count: Int { run.count + heap.count - cancelledCount }
    package var isEmpty: Bool { run.isEmpty && heap.isEmpty }

    /// When the loop has to wake for the first timer; nil where there is none or it never fires.
    package var nextDeadline: LoopInstant? {
        if isEmpty { return nil }
        let first = isInRun ? run.first : heap.first
        return first.comes ? first.effective : nil
    }

    /// Adds an entry, which must not be one that has been taken out by `remove(_:)`.
    package func insert(_ entry: Entry, sequence: UInt64) { unsafe insert(.passRetained(entry), sequence: sequence) }

    /// The same by a reference that the caller owns, and the queue from now on. Safe: the node takes that count over.
    @inline(__always)
    func insert(_ reference: Unmanaged<Entry>, sequence: UInt64) {
        let node = unsafe DeadlineNode(reference, sequence: sequence)
        node.look { entry in entry.isQueued = true }
        if node.comes, run.isNext(node) {
            run.put(node)
        } else if node.comes, run.isInTheWay(of: node) {
            makeWay(for: node)
        } else {
            heap.insert(node)
        }
    }

    /// Takes out the first timer if its effective deadline is not after `now`.
    package func popFirst(dueAt now: LoopInstant) -> (entry: Entry, sequence: UInt64)? {
        popFirstNode(dueAt: now).map { node in (node.take(), node.sequence) }
    }

    /// The same by its reference, which the caller owns from now on.
    @inline(__always)
    func popFirstNode(dueAt now: LoopInstant) -> DeadlineNode<Entry>? {
        if isEmpty { return nil }
        let isInRun = isInRun
        let first = isInRun ? run.first : heap.first
        guard first.effective <= now, first.comes else { return nil }
        if isInRun {
            run.removeFirst()
            dropCancelledOfRun()
        } else {
            heap.removeFirst()
            dropCancelledOfHeap()
        }
        first.look { entry in entry.isQueued = false }
        return first
    }

    /// Takes out `entry`, if it is here.
    @discardableResult
    package func remove(_ entry: Entry) -> Bool {
        guard entry.isQueued else { return false }
        entry.isQueued = false
        cancelledCount += 1
        // Only it can be a first that is cancelled, and to look at those would be to wait for their memory.
        if !run.isEmpty, run.first.isOf(entry) { dropCancelledOfRun() }
        if !heap.isEmpty, heap.first.isOf(entry) { dropCancelledOfHeap() }
        if cancelledCount >= 64, cancelledCount * 2 >= run.count + heap.count { dropAllCancelled() }
        return true
    }

    /// Takes out everything, in no order.
    package func removeAll() -> [Entry] {
        cancelledCount = 0
        return (run.removeAll() + heap.removeAll()).filter { entry in
            defer { entry.isQueued = false }
            return entry.isQueued
        }
    }

    /// Whether the first of all is the run's; there has to be one.
    @inline(__always)
    private var isInRun: Bool { heap.isEmpty || !run.isEmpty && run.first.precedes(heap.first) }

    /// Into the run in place of those in the way, who go to the heap. Else timers of an hour and of a day, once set, would keep all
    /// others out until they fire.
    @inline(never)
    private func makeWay(for node: DeadlineNode<Entry>) {
        while let other = run.removeFromTheWay(of: node) {
            // The heap's first must not be a cancelled one.
            if other.isCancelled { letGo(other) } else { heap.insert(other) }
        }
        run.put(node)
    }

    // MARK: Those who are cancelled

    @inline(__always)
    private func dropCancelledOfRun() {
        while !run.isEmpty, run.first.isCancelled { letGo(run.removeFirst()) }
    }

    @inline(__always)
    private func dropCancelledOfHeap() {
        while !heap.isEmpty, heap.first.isCancelled { letGo(heap.removeFirst()) }
    }

    private func letGo(_ node: DeadlineNode<Entry>) {
        cancelledCount -= 1
        node.release()
    }

    private func dropAllCancelled() {
        cancelledCount = 0
        run.dropCancelled()
        heap.dropAllCancelled()
    }
}
