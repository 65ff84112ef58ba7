// SPDX-License-Identifier: MIT
import Synchronization

/// The executions that wait, in order. Removing one from the middle takes constant time, like removing the first.
///
/// Each execution stores its index, under the command's lock. A removal from the middle leaves a gap, and the array is
/// compacted when most of it is gaps. So each operation takes constant time on average.
@usableFromInline
struct WaitingLine<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias One = Execution<Output, Failure>

    @usableFromInline
    var slots: [One?] = []
    /// All slots before this one are gaps.
    @usableFromInline
    var head = 0
    @usableFromInline
    private(set) var count = 0

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { count == 0 }

    @usableFromInline
    mutating func append(_ execution: One) {
        execution.index.store(slots.count, ordering: .relaxed)
        slots.append(execution)
        count += 1
    }

    @usableFromInline
    mutating func popFirst() -> One? {
        while head < slots.count {
            let first = slots[head].take()
            head += 1
            if let first {
                leave(first)
                return first
            }
        }
        return nil
    }

    /// Removes an execution. Returns false if it does not wait.
    @usableFromInline
    mutating func remove(_ execution: One) -> Bool {
        let index = execution.index.load(ordering: .relaxed)
        guard index >= 0 else { return false }
        slots[index] = nil
        leave(execution)
        return true
    }

    @usableFromInline
    mutating func takeAll() -> [One] {
        let all = slots[head...].compactMap { $0 }
        for execution in all { execution.index.store(-1, ordering: .relaxed) }
        self = WaitingLine()
        return all
    }

    private mutating func leave(_ execution: One) {
        execution.index.store(-1, ordering: .relaxed)
        count -= 1
        if count == 0 {
            slots.removeAll(keepingCapacity: slots.capacity <= 2048)
            head = 0
        } else if slots.count > 64, slots.count > 2 * count {
            slots = slots[head...].filter { $0 != nil }
            head = 0
            for (index, execution) in slots.enumerated() { execution?.index.store(index, ordering: .relaxed) }
        }
    }
}
