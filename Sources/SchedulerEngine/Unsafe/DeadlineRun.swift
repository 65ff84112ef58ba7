/// Nodes that came in order: the first is taken from the front, and who is due after the last goes behind it.
final class DeadlineRun<Entry: DeadlineQueueEntry>: DeadlineNodes<Entry> {
    @inline(__always)
    var first: Node { nodes[start] }

    /// Whether a node may go behind the last.
    @inline(__always)
    func isNext(_ node: Node) -> Bool { isEmpty || !node.precedes(nodes[end &- 1]) }

    /// Whether a node could go behind the last if it were not for the last alone.
    func isNextButOne(_ node: Node) -> Bool { count > 1 && !node.precedes(nodes[end &- 2]) }

    func exchangeLast(for node: Node) -> Node {
        defer { nodes[end &- 1] = node }
        return nodes[end &- 1]
    }

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
