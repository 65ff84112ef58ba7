// SPDX-License-Identifier: MIT
/// A heap of nodes, which may be inserted in any order. A node has up to four children, which share one or two cache
/// lines. Moving a node accesses no other memory.
final class DeadlineHeap<Entry: DeadlineQueueEntry>: DeadlineNodes<Entry> {
    @inline(__always)
    var first: Node { nodes[0] }

    @inline(__always)
    func insert(_ node: Node) {
        put(node)
        siftUp(end - 1)
    }

    @discardableResult
    func removeFirst() -> Node {
        let first = nodes[0]
        end -= 1
        if end > 0 {
            nodes[0] = nodes[end]
            siftDown(0)
        }
        shrinkIfMostlyEmpty()
        return first
    }

    func dropAllCancelled() {
        dropCancelled()
        guard end > 1 else { return }
        for index in (0...(end - 2) / 4).reversed() { siftDown(index) }
    }

    // MARK: Order

    private func siftUp(_ start: Int) {
        let nodes = nodes
        var index = start
        let node = nodes[index]
        while index > 0 {
            let parent = (index - 1) / 4
            guard node.precedes(nodes[parent]) else { break }
            nodes[index] = nodes[parent]
            index = parent
        }
        nodes[index] = node
    }

    /// Calculates the result without a branch. The processor would mispredict such a branch half the time.
    @inline(__always)
    private func leastOfFour(_ first: Int) -> Int {
        let left = first &+ (nodes[first &+ 1].precedes(nodes[first]) ? 1 : 0)
        let right = first &+ 2 &+ (nodes[first &+ 3].precedes(nodes[first &+ 2]) ? 1 : 0)
        return left &+ (right &- left) &* (nodes[right].precedes(nodes[left]) ? 1 : 0)
    }

    private func leastOfLast(_ first: Int) -> Int {
        (first..<end).min { one, other in nodes[one].precedes(nodes[other]) }!
    }

    private func siftDown(_ start: Int) {
        let (nodes, count) = (nodes, end)
        var index = start
        let node = nodes[index]
        while true {
            let firstChild = index &* 4 &+ 1
            guard firstChild < count else { break }
            let least = firstChild &+ 3 < count ? leastOfFour(firstChild) : leastOfLast(firstChild)
            guard nodes[least].precedes(node) else { break }
            nodes[index] = nodes[least]
            index = least
        }
        nodes[index] = node
    }
}
