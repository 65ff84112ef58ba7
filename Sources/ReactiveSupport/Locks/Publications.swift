// SPDX-License-Identifier: MIT
import CReactive
import Synchronization

/// Objects that live as long as the process, at most one for each key. Any thread may find and publish them.
///
/// The objects are in a list that only grows, at its head. There is no lock, because a fork could leave it held in the
/// child. Nodes and objects are never released, so a reader needs only the head's address.
package final class Publications: Sendable {
    /// The key of an object.
    package struct Key: Sendable, Hashable {
        private let kind: ObjectIdentifier
        private let generation: UInt32
        private let variant: Int32

        /// The key of an object that the program and its forked children share.
        package init(_ kind: Any.Type) {
            self.kind = ObjectIdentifier(kind)
            generation = 0
            variant = 0
        }

        /// The key of an object for one process and one `variant`. A forked child is another process.
        package init(perProcess kind: Any.Type, variant: Int32 = 0) {
            self.kind = ObjectIdentifier(kind)
            generation = reactive_fork_generation()
            self.variant = variant
        }
    }

    private final class Node: Sendable {
        let key: Key
        let object: any AnyObject & Sendable
        let next: NodeAddress

        init(_ key: Key, _ object: any AnyObject & Sendable, before next: NodeAddress) {
            self.key = key
            self.object = object
            self.next = next
        }
    }

    /// A node's address, or 0 at the end of the list.
    private struct NodeAddress: Sendable {
        let bits: UInt

        // Safe: a node is immutable, and is never released once its address is in the list.
        var node: Node? {
            guard let address = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
            return unsafe Unmanaged<Node>.fromOpaque(address).takeUnretainedValue()
        }
    }

    /// The address of the newest node, or 0.
    private let head = Atomic<UInt>(0)

    package init() {}

    /// The object that has been published with this key, if any.
    package func object(_ key: Key) -> (any AnyObject & Sendable)? {
        find(key, from: head.load(ordering: .acquiring))
    }

    /// Publishes `made`, which must be ready for use by any thread. Returns the published object: `made`, or the object
    /// that another caller has published with this key.
    package func publish(_ made: any AnyObject & Sendable, _ key: Key) -> any AnyObject & Sendable {
        var first = head.load(ordering: .acquiring)
        while true {
            if let earlier = find(key, from: first) { return earlier }
            // Safe: the list owns the retained node once the node is stored. A node that is not stored is released
            // here.
            let new = unsafe Unmanaged.passRetained(Node(key, made, before: NodeAddress(bits: first)))
            let (isStored, found) = head.compareExchange(
                expected: first,
                desired: unsafe UInt(bitPattern: new.toOpaque()),
                ordering: .acquiringAndReleasing
            )
            if isStored { return made }
            unsafe new.release()
            first = found
        }
    }

    private func find(_ key: Key, from first: UInt) -> (any AnyObject & Sendable)? {
        var next = NodeAddress(bits: first)
        while let node = next.node {
            if node.key == key { return node.object }
            next = node.next
        }
        return nil
    }
}
