// SPDX-License-Identifier: MIT
/// An array of nodes. The nodes from `start` up to `end` exist; the memory may be larger.
///
/// Swift does not check these fields for exclusivity, because the checks would make cancellation much slower. Safe: no
/// code that runs during an access uses this object. Each node owns one reference count of its entry.
class DeadlineNodes<Entry: DeadlineQueueEntry> {
    typealias Node = DeadlineNode<Entry>

    @safe @exclusivity(unchecked)
    private(set) final var nodes = NodeMemory<Entry>(capacity: smallest)
    /// The index of the first node.
    @safe @exclusivity(unchecked)
    final var start = 0
    /// The index after the last node.
    @safe @exclusivity(unchecked)
    final var end = 0
    @safe @exclusivity(unchecked)
    private final var capacity = smallest

    private static var smallest: Int { 16 }

    deinit {
        for index in start..<end { nodes[index].release() }
        nodes.deallocate()
    }

    final var count: Int { end &- start }
    final var isEmpty: Bool { end == start }

    @inline(__always)
    final func put(_ node: Node) {
        if end == capacity { makeRoom() }
        nodes.put(node, at: end)
        end &+= 1
    }

    /// Moves the live nodes to the front, in their order, and releases the cancelled ones.
    ///
    /// The entries are scattered in memory. The first inner loop has no branch, so the processor can load many entries
    /// at the same time. Releasing an entry here runs no user code: the work of a cancelled entry has already been
    /// taken.
    final func dropCancelled() {
        var kept = 0
        while start < end {
            let next = min(start + 64, end)
            var staying: UInt64 = 0
            for index in start..<next {
                let isStaying: UInt64 = nodes[index].isCancelled ? 0 : 1
                staying |= isStaying << UInt64(index - start)
            }
            for index in start..<next {
                if staying & 1 == 0 {
                    nodes[index].release()
                } else {
                    nodes[kept] = nodes[index]
                    kept += 1
                }
                staying >>= 1
            }
            start = next
        }
        (start, end) = (0, kept)
        shrinkIfMostlyEmpty()
    }

    /// Removes and returns all entries, in no particular order.
    final func removeAll() -> [Entry] {
        // The state is consistent before the entries are released, because a `deinit` may use this queue.
        let all = (start..<end).map { nodes[$0].take() }
        (start, end) = (0, 0)
        shrink()
        return all
    }

    /// Frees memory after a burst of timers (rule T21).
    @inline(__always)
    final func shrinkIfMostlyEmpty() {
        if capacity > 1024, count * 8 < capacity { shrink() }
    }

    @inline(never)
    private final func shrink() {
        moveToFront()
        resize(to: max(Self.smallest, end * 2))
    }

    @inline(never)
    private final func makeRoom() {
        // A large array grows by a quarter: doubling would leave much of it unused.
        let areMany = capacity >= 4096
        if start * (areMany ? 4 : 2) >= capacity { return moveToFront() }
        resize(to: areMany ? capacity + capacity / 4 : capacity * 2)
    }

    private final func moveToFront() {
        if start > 0 { nodes.moveToFront(from: start, count: count) }
        (start, end) = (0, count)
    }

    private final func resize(to newCapacity: Int) {
        (nodes, capacity) = (nodes.resized(newCapacity), newCapacity)
    }
}
