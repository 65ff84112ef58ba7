// SPDX-License-Identifier: MIT
import Glibc

/// Memory for nodes, in one allocation. `realloc` can grow it in place, or move its pages without copying.
///
/// Safe: the ``DeadlineNodes`` that creates the memory owns it until `deallocate()`. It reads only the nodes from its
/// `start` up to its `end`, which it has stored there. `end` is at most the capacity.
@safe
struct NodeMemory<Entry: DeadlineQueueEntry> {
    typealias Node = DeadlineNode<Entry>

    private let first: UnsafeMutablePointer<Node>

    init(capacity: Int) { unsafe self.init(nil, capacity) }

    private init(_ old: UnsafeMutablePointer<Node>?, _ capacity: Int) {
        guard let memory = unsafe realloc(old, capacity * MemoryLayout<Node>.stride) else {
            fatalError("cannot allocate memory for \(capacity) timers")
        }
        unsafe first = memory.bindMemory(to: Node.self, capacity: capacity)
    }

    /// The node at an index. A node must be stored there.
    subscript(index: Int) -> Node {
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(first + index) }
        @inline(__always)
        nonmutating unsafeMutableAddress { unsafe first + index }
    }

    /// Stores a node at an index that contains none.
    @inline(__always)
    func put(_ node: Node, at index: Int) { unsafe (first + index).initialize(to: node) }

    /// Moves `count` nodes, beginning with the one at `start`, to the front.
    func moveToFront(from start: Int, count: Int) { unsafe first.update(from: first + start, count: count) }

    /// Returns memory for `capacity` nodes with the same nodes. This value must not be used afterwards.
    func resized(_ capacity: Int) -> NodeMemory { unsafe NodeMemory(first, capacity) }

    func deallocate() { unsafe free(first) }
}
