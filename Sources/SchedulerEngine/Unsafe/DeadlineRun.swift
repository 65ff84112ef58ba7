/// Nodes that came in order: the first is taken from the front, and who is due after the last goes behind it.
final class DeadlineRun<Entry: DeadlineQueueEntry>: DeadlineNodes<Entry> {
    @inline(__always)
    var first: Node { nodes[start] }

    /// Puts a node behind the last. Returns the node that has to go elsewhere: none; the node itself, where it does not come
    /// after the last; or the last, where it alone was in the way.
    ///
    /// Else a timer of an hour, once set, would keep all that follow it out until it fires.
    @inline(__always)
    func put(inOrder node: Node) -> Node? {
        guard !isEmpty, node.precedes(nodes[end &- 1]) else {
            put(node)
            return nil
        }
        if count > 1, node.precedes(nodes[end &- 2]) { return node }
        let last = nodes[end &- 1]
        nodes[end &- 1] = node
        return last
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
