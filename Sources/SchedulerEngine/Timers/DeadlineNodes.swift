/// Nodes from `start` up to `end`, and the room around them.
///
/// Exclusivity of these fields is not checked: the checks were half the cost of a cancellation. Safe: nothing that is called during an
/// access calls back. Each node owns one count of its entry.
class DeadlineNodes<Entry: DeadlineQueueEntry> {
    typealias Node = DeadlineNode<Entry>

    @safe @exclusivity(unchecked)
    private(set) final var nodes = NodeMemory<Entry>(capacity: smallest)
    /// Where the first is.
    @safe @exclusivity(unchecked)
    final var start = 0
    /// Behind the last.
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

    /// Moves the nodes that stay to the front, in their order, and gives the others' references back.
    ///
    /// Entries lie anywhere in memory. Looked at in blocks, with nothing to decide in between, many of them are on their way
    /// from there at once; one after the other, each would be waited for. Nothing of an entry's goes with its reference here
    /// but memory: who cancels has let go of the work.
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

    /// Takes out everything, in no order.
    final func removeAll() -> [Entry] {
        // Put in order first: what goes with a reference may ask for these.
        let all = (start..<end).map { nodes[$0].take() }
        (start, end) = (0, 0)
        shrink()
        return all
    }

    /// A burst of a million timeouts must not keep its memory for good (rule T21).
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
        // Many timers get little more than what they fill: doubling would leave a million with room for another.
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
