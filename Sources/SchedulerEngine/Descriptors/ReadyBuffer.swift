// SPDX-License-Identifier: MIT
package import ReactiveCore

/// The events of one wait, oldest first. The memory is reused for the next wait.
///
/// The memory is unmanaged, because Swift would check each access to an array in a class for exclusivity, three times
/// per event.
///
/// Safe: one method at a time runs, on the loop's thread. The memory has room for `capacity` events. Only the first
/// `filled` events are read, and these have been written.
@safe
package final class ReadyBuffer {
    package struct Event {
        package let token: UInt64
        package fileprivate(set) var readiness: Readiness
    }

    private var memory = UnsafeMutablePointer<Event>.allocate(capacity: 64)
    private var capacity = 64
    /// The number of events. It is private so that the compiler can omit the run-time exclusivity checks.
    private var filled = 0

    package init() {}

    deinit { unsafe memory.deallocate() }

    package var count: Int { filled }

    package var isEmpty: Bool { filled == 0 }

    package subscript(index: Int) -> Event {
        precondition(index >= 0 && index < filled)
        return unsafe memory[index]
    }

    package func append(_ token: UInt64, _ readiness: Readiness) {
        if filled == capacity { grow() }
        unsafe (memory + filled).initialize(to: Event(token: token, readiness: readiness))
        filled += 1
    }

    /// Appends an event. If the last event has the same token, adds the readiness to that event instead.
    func merge(_ token: UInt64, _ readiness: Readiness) {
        if filled > 0, unsafe memory[filled - 1].token == token {
            unsafe memory[filled - 1].readiness.formUnion(readiness)
        } else {
            append(token, readiness)
        }
    }

    func removeAll() { filled = 0 }

    /// Passes each event to `ready`, oldest first, and empties the buffer.
    package func drain(_ ready: (UInt64, Readiness) -> Void) {
        for index in 0..<filled { unsafe ready(memory[index].token, memory[index].readiness) }
        filled = 0
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Event>.allocate(capacity: capacity * 2)
        unsafe larger.moveInitialize(from: memory, count: filled)
        unsafe memory.deallocate()
        unsafe memory = larger
        capacity *= 2
    }
}
