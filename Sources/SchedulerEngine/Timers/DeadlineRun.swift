// SPDX-License-Identifier: MIT
/// A sorted array of nodes. A node that is due after the last one is appended, and nodes are removed from the front.
final class DeadlineRun<Entry: DeadlineQueueEntry>: DeadlineNodes<Entry> {
    @inline(__always)
    var first: Node { nodes[start] }

    /// Whether the run stays sorted if `node` is appended.
    @inline(__always)
    func isNext(_ node: Node) -> Bool { isEmpty || !node.precedes(nodes[end &- 1]) }

    /// Whether the nodes that are later than `node` should move to the heap, so that `node` can be appended. The result
    /// is true if only the last node is later, or if the run has at most 8 nodes and `node` precedes all of them. Call
    /// it only if `isNext(node)` is false.
    @inline(__always)
    func shouldSpill(for node: Node) -> Bool {
        count > 1 && node.effective > nodes[end &- 2].effective || count <= Self.few && node.effective < first.effective
    }

    /// Removes and returns the last node if it is later than `node`. Returns `nil` if `node` can be appended.
    func popLast(after node: Node) -> Node? {
        if isNext(node) { return nil }
        end &-= 1
        return nodes[end]
    }

    private static var few: Int { 8 }

    @inline(__always)
    @discardableResult
    func removeFirst() -> Node {
        let first = nodes[start]
        start &+= 1
        if start == end { (start, end) = (0, 0) }
        shrinkIfMostlyEmpty()
        return first
    }
}
