// SPDX-License-Identifier: MIT

/// The pending events of the kernel, ordered by time and then by the order in which they were added.
///
/// It is a binary heap of small entries. The events are in slots, so that moving an entry retains nothing.
struct Timeline {
    /// The position of a pending event. It is invalid once the event has been taken.
    struct Entry {
        fileprivate let time: Int64
        fileprivate let sequence: UInt64
        fileprivate let slot: Int32

        fileprivate func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : sequence < other.sequence
        }
    }

    private struct Slot {
        var sequence: UInt64
        var event: KernelEvent?
    }

    private var heap: [Entry] = []
    private var slots: [Slot] = []
    private var freeSlots: [Int32] = []
    private var nextSequence: UInt64 = 0

    /// Adds an event. Events of the same time are taken in the order of these calls.
    @discardableResult
    mutating func add(_ event: KernelEvent, at time: Int64) -> Entry {
        nextSequence += 1
        let slot = Slot(sequence: nextSequence, event: event)
        let entry = Entry(time: time, sequence: nextSequence, slot: freeSlots.popLast() ?? Int32(slots.count))
        if entry.slot < slots.count { slots[Int(entry.slot)] = slot } else { slots.append(slot) }
        heap.append(entry)
        moveUp()
        return entry
    }

    /// Cancels an event. A taken event is ignored.
    mutating func cancel(_ entry: Entry) {
        guard slots[Int(entry.slot)].sequence == entry.sequence else { return }
        slots[Int(entry.slot)].event = nil
    }

    /// The time of the next event, without cancelled ones.
    mutating func nextTime() -> Int64? {
        while let first = heap.first {
            if let event = slots[Int(first.slot)].event, !event.isCancelled { return first.time }
            removeFirst()
        }
        return nil
    }

    /// Removes and returns the next event, if it is due at `limit`.
    mutating func take(until limit: Int64) -> (time: Int64, event: KernelEvent)? {
        while let first = heap.first, first.time <= limit {
            let event = slots[Int(first.slot)].event
            removeFirst()
            if let event, !event.isCancelled { return (first.time, event) }
        }
        return nil
    }

    mutating func removeAll() {
        heap.removeAll()
        slots.removeAll()
        freeSlots.removeAll()
    }

    private mutating func removeFirst() {
        let slot = heap[0].slot
        slots[Int(slot)] = Slot(sequence: 0, event: nil)
        freeSlots.append(slot)
        let last = heap.removeLast()
        if heap.isEmpty { return }
        heap[0] = last
        moveDown()
    }

    private mutating func moveUp() {
        var place = heap.count - 1
        let entry = heap[place]
        while place > 0 {
            let parent = (place - 1) / 2
            if !entry.precedes(heap[parent]) { break }
            heap[place] = heap[parent]
            place = parent
        }
        heap[place] = entry
    }

    private mutating func moveDown() {
        var place = 0
        let entry = heap[0]
        let count = heap.count
        while true {
            var child = 2 * place + 1
            if child >= count { break }
            if child + 1 < count, heap[child + 1].precedes(heap[child]) { child += 1 }
            if !heap[child].precedes(entry) { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = entry
    }
}
