/// Nodes that came in order: the first is taken from the front, and who is due after the last goes behind it.
final class DeadlineRun<Entry: DeadlineQueueEntry>: DeadlineNodes<Entry> {
    @inline(__always)
    var first: Node { nodes[start] }

    /// Whether a node may go behind the last.
    @inline(__always)
    func isNext(_ node: Node) -> Bool { isEmpty || !node.precedes(nodes[end &- 1]) }

    /// Whether a node that is not next would be if the last alone were not there, or is before all of the few that are.
    @inline(__always)
    func isInTheWay(of node: Node) -> Bool {
        count > 1 && node.effective > nodes[end &- 2].effective || count <= Self.few && node.effective < first.effective
    }

    /// Takes out one of those until the node is next.
    func removeFromTheWay(of node: Node) -> Node? {
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
