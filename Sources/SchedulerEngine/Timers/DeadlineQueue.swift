// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// A queue of timers, ordered by effective deadline, then by nominal deadline, then by insertion (rules T6, T7).
///
/// The queue has two parts: a sorted run and a heap. The first timer of the queue is the first timer of one part. A
/// timer that is due after the last one of the run is appended to the run, in constant time. Timeouts of equal length,
/// and timers of equal period, arrive in that order. All others are inserted into the heap.
///
/// Cancelling a timer marks its entry. The queue removes a cancelled node when the node reaches the front of its part.
/// It removes all cancelled nodes when there are at least 64 of them and they are at least half of all nodes. So a
/// cancellation takes constant amortized time. Leeway moves a timer from its nominal to its effective deadline. See
/// `LoopInstant.coalesced(slack:)`.
package final class DeadlineQueue<Entry: DeadlineQueueEntry> {
    /// The first node of each part is never cancelled.
    private let run = DeadlineRun<Entry>()
    private let heap = DeadlineHeap<Entry>()
    private var cancelledCount = 0

    package init() {}

    package var count: Int { run.count + heap.count - cancelledCount }
    package var isEmpty: Bool { run.isEmpty && heap.isEmpty }

    /// The instant at which the loop must wake for the first timer. `nil` means that there is none, or that it never
    /// fires.
    package var nextDeadline: LoopInstant? {
        if isEmpty { return nil }
        let first = isInRun ? run.first : heap.first
        return first.everFires ? first.effective : nil
    }

    /// Adds an entry. An entry that `remove(_:)` has removed must not be added again.
    package func insert(_ entry: Entry, sequence: UInt64) { unsafe insert(.passRetained(entry), sequence: sequence) }

    /// Adds the entry of a reference. Safe: the node takes over the reference count that the caller owns.
    @inline(__always)
    func insert(_ reference: Unmanaged<Entry>, sequence: UInt64) {
        let node = unsafe DeadlineNode(reference, sequence: sequence)
        node.look { entry in entry.isQueued = true }
        if node.everFires, run.isNext(node) {
            run.put(node)
        } else if node.everFires, run.shouldSpill(for: node) {
            spill(for: node)
        } else {
            heap.insert(node)
        }
    }

    /// Removes and returns the first timer if its effective deadline is not after `now`.
    package func popFirst(dueAt now: LoopInstant) -> (entry: Entry, sequence: UInt64)? {
        popFirstNode(dueAt: now).map { node in (node.take(), node.sequence) }
    }

    /// Removes the first timer like ``popFirst(dueAt:)``, but returns its node. The caller then owns the node's
    /// reference count.
    @inline(__always)
    func popFirstNode(dueAt now: LoopInstant) -> DeadlineNode<Entry>? {
        if isEmpty { return nil }
        let isInRun = isInRun
        let first = isInRun ? run.first : heap.first
        guard first.effective <= now, first.everFires else { return nil }
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

    /// Removes `entry`. Returns whether it was in the queue.
    @discardableResult
    package func remove(_ entry: Entry) -> Bool {
        guard entry.isQueued else { return false }
        entry.isQueued = false
        cancelledCount += 1
        // After this, only the node of this entry can be a cancelled first node. Comparing addresses avoids reading
        // other entries, whose memory is slow to load.
        if !run.isEmpty, run.first.isOf(entry) { dropCancelledOfRun() }
        if !heap.isEmpty, heap.first.isOf(entry) { dropCancelledOfHeap() }
        if cancelledCount >= 64, cancelledCount * 2 >= run.count + heap.count { dropAllCancelled() }
        return true
    }

    /// Removes and returns all entries that are not cancelled, in no particular order.
    package func removeAll() -> [Entry] {
        cancelledCount = 0
        return (run.removeAll() + heap.removeAll()).filter { entry in
            defer { entry.isQueued = false }
            return entry.isQueued
        }
    }

    /// Whether the first timer of the queue is in the run. The queue must not be empty.
    @inline(__always)
    private var isInRun: Bool { heap.isEmpty || !run.isEmpty && run.first.precedes(heap.first) }

    /// Moves the nodes that are later than `node` from the run to the heap, and appends `node` to the run. Without
    /// this, a few timers of an hour or a day would keep all earlier timers out of the run until they fire.
    ///
    /// Example: the run contains one timer, which is due in an hour. A timer of one second is inserted. It precedes the
    /// whole short run, so the first timer moves to the heap, and the run contains only the new one. The next timeout
    /// of one second is appended to the run.
    @inline(never)
    private func spill(for node: DeadlineNode<Entry>) {
        while let other = run.popLast(after: node) {
            // The first node of the heap must not be cancelled.
            if other.isCancelled { letGo(other) } else { heap.insert(other) }
        }
        run.put(node)
    }

    // MARK: Cancelled nodes

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
