package import ReactiveCore

/// What a wait has found, oldest first: memory that is kept, and whose use Swift has nothing to check about at run time.
///
/// The accesses to an array in a class are checked for exclusivity one by one, three for each event, which was a sixth of what
/// a server does outside of the kernel. Here one method at a time runs, on the loop's thread.
///
/// Safe: the memory has room for `capacity` events, and only the first `filled`, which have been appended, are read.
@safe
package final class ReadyBuffer {
    package struct Event {
        package let token: UInt64
        package fileprivate(set) var readiness: Readiness
    }

    private var memory = UnsafeMutablePointer<Event>.allocate(capacity: 64)
    private var capacity = 64
    /// Private, as all of these are: what another module may read is checked as well.
    private var filled = 0

    package init() {}

    deinit { unsafe memory.deallocate() }

    package var count: Int { filled }

    package var isEmpty: Bool { filled == 0 }

    package subscript(index: Int) -> Event {
        precondition(index >= 0 && index < filled, "index \(index) of \(filled)")
        return unsafe memory[index]
    }

    package func append(_ token: UInt64, _ readiness: Readiness) {
        if filled == capacity { grow() }
        unsafe (memory + filled).initialize(to: Event(token: token, readiness: readiness))
        filled += 1
    }

    /// Reading and writing of one descriptor, reported one after the other, are one event.
    func merge(_ token: UInt64, _ readiness: Readiness) {
        if filled > 0, unsafe memory[filled - 1].token == token {
            unsafe memory[filled - 1].readiness.formUnion(readiness)
        } else {
            append(token, readiness)
        }
    }

    func removeAll() { filled = 0 }

    /// Reports everything, oldest first, and is empty after that.
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
