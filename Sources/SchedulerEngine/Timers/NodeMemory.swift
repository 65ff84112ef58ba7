import Glibc

/// Nodes in one piece of malloc's memory, so that a large one grows where it is, or takes its pages along: a node may lie
/// anywhere.
///
/// Safe: the one ``DeadlineNodes`` that makes the memory owns it until `deallocate()`. It reads only nodes that it has put between
/// its `start` and its `end`, which is at most the capacity.
@safe
struct NodeMemory<Entry: DeadlineQueueEntry> {
    typealias Node = DeadlineNode<Entry>

    private let first: UnsafeMutablePointer<Node>

    init(capacity: Int) { unsafe self.init(nil, capacity) }

    private init(_ old: UnsafeMutablePointer<Node>?, _ capacity: Int) {
        guard let memory = unsafe realloc(old, capacity * MemoryLayout<Node>.stride) else {
            fatalError("no memory for \(capacity) timers")
        }
        unsafe first = memory.bindMemory(to: Node.self, capacity: capacity)
    }

    /// A node that has been put.
    subscript(index: Int) -> Node {
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(first + index) }
        @inline(__always)
        nonmutating unsafeMutableAddress { unsafe first + index }
    }

    /// Puts a node into a place that nothing has been put into.
    @inline(__always)
    func put(_ node: Node, at index: Int) { unsafe (first + index).initialize(to: node) }

    /// Moves `count` nodes from `start` on to the front.
    func moveToFront(from start: Int, count: Int) { unsafe first.update(from: first + start, count: count) }

    /// The same nodes with room for `capacity` of them. This one must not be used after that.
    func resized(_ capacity: Int) -> NodeMemory { unsafe NodeMemory(first, capacity) }

    func deallocate() { unsafe free(first) }
}
