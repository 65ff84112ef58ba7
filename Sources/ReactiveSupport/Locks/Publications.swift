import CReactive
import Synchronization

/// Objects that stay for the process's life, at most one for each kind, found and published by any thread.
///
/// Without a lock: a fork could leave one held for good in the child. It is a list that only grows, at its head; a node and its
/// object are never released, so that a reader needs no more than the head's address.
///
/// Why `@unchecked Sendable` is right: the one variable is atomic, and what it points to never changes.
package final class Publications: @unchecked Sendable {
    /// What an object is found by.
    package struct Key: Sendable, Hashable {
        private let kind: ObjectIdentifier
        private let generation: UInt32
        private let variant: Int32

        /// One object for the program, its forked children included.
        package init(_ kind: Any.Type) {
            self.kind = ObjectIdentifier(kind)
            generation = 0
            variant = 0
        }

        /// One object for each process that a fork begins, and each `variant`.
        package init(perProcess kind: Any.Type, variant: Int32 = 0) {
            self.kind = ObjectIdentifier(kind)
            generation = reactive_fork_generation()
            self.variant = variant
        }
    }

    private final class Node: Sendable {
        let key: Key
        let object: any AnyObject & Sendable
        let next: UnsafeNode?

        init(_ key: Key, _ object: any AnyObject & Sendable, before next: UnsafeNode?) {
            self.key = key
            self.object = object
            self.next = next
        }
    }

    /// A node's address. Why `@unchecked Sendable` is right: the node is immutable, and is never released once it is in the list.
    private struct UnsafeNode: @unchecked Sendable {
        let address: UnsafeRawPointer

        var node: Node { Unmanaged<Node>.fromOpaque(address).takeUnretainedValue() }
    }

    private let head = Atomic<UnsafeRawPointer?>(nil)

    package init() {}

    /// The object that has been published by this key, if any.
    package func object(_ key: Key) -> (any AnyObject & Sendable)? {
        find(key, from: head.load(ordering: .acquiring))
    }

    /// Publishes `made`, which must be ready for use by any thread. Returns what stays: `made`, or what another caller has
    /// published by this key before.
    package func publish(_ made: any AnyObject & Sendable, _ key: Key) -> any AnyObject & Sendable {
        var first = head.load(ordering: .acquiring)
        while true {
            if let earlier = find(key, from: first) { return earlier }
            let new = Unmanaged.passRetained(Node(key, made, before: first.map { UnsafeNode(address: $0) }))
            let (isStored, found) = head.compareExchange(
                expected: first,
                desired: UnsafeRawPointer(new.toOpaque()),
                ordering: .acquiringAndReleasing
            )
            if isStored { return made }
            new.release()
            first = found
        }
    }

    private func find(_ key: Key, from first: UnsafeRawPointer?) -> (any AnyObject & Sendable)? {
        var next = first.map { UnsafeNode(address: $0) }
        while let node = next?.node {
            if node.key == key { return node.object }
            next = node.next
        }
        return nil
    }
}
