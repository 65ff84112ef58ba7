// SPDX-License-Identifier: MIT
/// A first-in, first-out queue in one array. It frees the space of removed elements when that is half of the array, and
/// releases a large array when it is empty.
@usableFromInline
package struct FIFO<Element> {
    @usableFromInline
    package var elements: [Element?] = []
    @usableFromInline
    package var head = 0

    @inlinable
    package init() {}

    @inlinable
    package var isEmpty: Bool { head == elements.count }
    @inlinable
    package var count: Int { elements.count - head }
    /// The oldest element, which is not removed.
    @inlinable
    package var first: Element? { head < elements.count ? elements[head] : nil }

    @inlinable
    package mutating func append(_ element: consuming Element) {
        elements.append(element)
    }

    @inlinable
    package mutating func append(contentsOf other: [Element]) {
        elements.append(contentsOf: other)
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 2048)
            head = 0
        } else if head > 1024, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes and returns the newest element.
    @inlinable
    package mutating func popLast() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements.removeLast()
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 2048)
            head = 0
        }
        return element
    }

    /// The `limit` oldest elements, which are not removed.
    @inlinable
    package func prefix(_ limit: Int) -> [Element] {
        elements[head...].prefix(limit).compactMap { $0 }
    }

    /// Replaces each element.
    @inlinable
    package mutating func mapInPlace(_ transform: (Element) -> Element) {
        for index in head..<elements.count { elements[index] = elements[index].take().map(transform) }
    }

    /// Removes and returns all elements, oldest first.
    @inlinable
    package mutating func takeAll() -> [Element] {
        let all = elements[head...].compactMap { $0 }
        elements = []
        head = 0
        return all
    }
}

extension FIFO: Sendable where Element: Sendable {}
