package import ReactiveCore
import ReactiveSupport

/// Timers, ordered by effective deadline, then nominal deadline, then insertion (rules T6, T7).
///
/// A four-ary heap in one array: a node's children share a cache line or two, and each entry knows its place, so that
/// setting and cancelling cost O(log n) with small constants and no allocation. The effective deadline is where leeway has
/// moved the timer to; see `LoopInstant.coalesced(leeway:)`.
package struct DeadlineHeap<Entry: DeadlineHeapEntry> {
    private struct Node {
        var effective: LoopInstant
        var sequence: UInt64
        var entry: Entry
    }

    private var nodes: [Node] = []

    package init() {}

    package var count: Int { nodes.count }
    package var isEmpty: Bool { nodes.isEmpty }

    /// When the loop has to wake for the first timer; nil where there is none or it never fires.
    package var nextDeadline: LoopInstant? {
        guard let first = nodes.first, first.effective != .distantFuture else { return nil }
        return first.effective
    }

    package mutating func insert(_ entry: Entry, sequence: UInt64) {
        nodes.append(
            Node(effective: entry.deadline.coalesced(leeway: entry.leeway), sequence: sequence, entry: entry)
        )
        entry.heapIndex = nodes.count - 1
        siftUp(nodes.count - 1)
    }

    /// Takes out the first timer if its effective deadline is not after `now`.
    package mutating func popFirst(dueAt now: LoopInstant) -> (entry: Entry, sequence: UInt64)? {
        guard let first = nodes.first, first.effective <= now, first.effective != .distantFuture else { return nil }
        remove(at: 0)
        return (first.entry, first.sequence)
    }

    /// Takes out `entry`, if it is here.
    @discardableResult
    package mutating func remove(_ entry: Entry) -> Bool {
        guard entry.heapIndex >= 0 else { return false }
        remove(at: entry.heapIndex)
        return true
    }

    /// Takes out everything, in no order.
    package mutating func removeAll() -> [Entry] {
        let entries = nodes.map(\.entry)
        for entry in entries { entry.heapIndex = -1 }
        nodes = []
        return entries
    }

    private mutating func remove(at index: Int) {
        nodes[index].entry.heapIndex = -1
        let last = nodes.removeLast()
        guard index < nodes.count else {
            shrinkIfMostlyEmpty()
            return
        }
        nodes[index] = last
        last.entry.heapIndex = index
        siftUp(index)
        siftDown(last.entry.heapIndex)
        shrinkIfMostlyEmpty()
    }

    // A burst of a million timeouts must not keep its memory for good (rule T21).
    private mutating func shrinkIfMostlyEmpty() {
        guard nodes.capacity > 1024, nodes.count * 8 < nodes.capacity else { return }
        var smaller: [Node] = []
        smaller.reserveCapacity(nodes.count * 2)
        smaller.append(contentsOf: nodes)
        nodes = smaller
    }

    private func precedes(_ lhs: Node, _ rhs: Node) -> Bool {
        if fault(.timersByInsertion) { return lhs.sequence < rhs.sequence }
        if lhs.effective != rhs.effective { return lhs.effective < rhs.effective }
        if lhs.entry.deadline != rhs.entry.deadline { return lhs.entry.deadline < rhs.entry.deadline }
        if fault(.equalTimersBackwards) { return lhs.sequence > rhs.sequence }
        return lhs.sequence < rhs.sequence
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        let node = nodes[index]
        while index > 0 {
            let parent = (index - 1) / 4
            guard precedes(node, nodes[parent]) else { break }
            nodes[index] = nodes[parent]
            nodes[index].entry.heapIndex = index
            index = parent
        }
        nodes[index] = node
        node.entry.heapIndex = index
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        let node = nodes[index]
        while true {
            let firstChild = index * 4 + 1
            guard firstChild < nodes.count else { break }
            var least = firstChild
            var child = firstChild + 1
            while child < min(firstChild + 4, nodes.count) {
                if precedes(nodes[child], nodes[least]) { least = child }
                child += 1
            }
            guard precedes(nodes[least], node) else { break }
            nodes[index] = nodes[least]
            nodes[index].entry.heapIndex = index
            index = least
        }
        nodes[index] = node
        node.entry.heapIndex = index
    }
}

/// What a heap holds: when it is due, and where the heap has put it.
package protocol DeadlineHeapEntry: AnyObject {
    /// When it is due; not to be changed while it is in a heap.
    var deadline: LoopInstant { get }
    /// How much later it may be.
    var leeway: Duration { get }
    /// Its place, or -1; the heap's own.
    var heapIndex: Int { get set }
}
