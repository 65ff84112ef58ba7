// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A pointer to a block of a ``WorkQueue``.
///
/// Safe: the queue that creates the block owns it until `deallocate()`. The queue stores at most `capacity` items, and
/// takes only items that it has stored. An item is read as the type that its kind says.
@safe
struct WorkBlock {
    static let capacity = 120

    private enum Kind { case closure, scheduled, job }

    // The closure is in a struct, because Swift would allocate another wrapper for a bare closure in generic memory.
    private struct Closure {
        let work: @Sendable () -> Void
    }

    private struct Header {
        var next: WorkBlock?
        var first = 0
        var end = 0
    }

    /// The header is followed by the kinds of the items (one byte each), and then by the items (two words each). An
    /// array of enums would need three words for each item.
    private static var kinds: Int { MemoryLayout<Header>.size }
    private static var items: Int { (kinds + capacity + 15) & ~15 }

    private let header: UnsafeMutablePointer<Header>

    /// Creates an empty block.
    init() {
        let bytes = Self.items + Self.capacity * MemoryLayout<Closure>.stride
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
        unsafe (memory + Self.kinds).bindMemory(to: Kind.self, capacity: Self.capacity)
        unsafe header = memory.bindMemory(to: Header.self, capacity: 1)
        unsafe header.initialize(to: Header())
    }

    /// Empties a block whose items have all been taken.
    func reset() { unsafe header.initialize(to: Header()) }

    func deallocate() { unsafe header.deallocate() }

    /// The next block of the queue, or the next of its spare blocks.
    @inline(__always)
    var next: WorkBlock? {
        get { unsafe header.pointee.next }
        nonmutating set { unsafe header.pointee.next = newValue }
    }

    /// The index of the oldest item.
    @inline(__always)
    var first: Int {
        get { unsafe header.pointee.first }
        nonmutating set { unsafe header.pointee.first = newValue }
    }

    /// The index after the newest item.
    @inline(__always)
    var end: Int {
        get { unsafe header.pointee.end }
        nonmutating set { unsafe header.pointee.end = newValue }
    }

    @inline(__always)
    private func slot(_ index: Int) -> UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(header) + Self.items + index * MemoryLayout<Closure>.stride
    }

    @inline(__always)
    private func kind(_ index: Int) -> UnsafeMutablePointer<Kind> {
        unsafe (UnsafeMutableRawPointer(header) + Self.kinds).assumingMemoryBound(to: Kind.self) + index
    }

    @inline(__always)
    func put(_ item: consuming Inbox.Work, _ index: Int) {
        let (slot, kind) = unsafe (slot(index), kind(index))
        switch consume item {
        case .closure(let work):
            unsafe kind.initialize(to: .closure)
            unsafe slot.initializeMemory(as: Closure.self, to: Closure(work: work))
        case .scheduled(let scheduled):
            unsafe kind.initialize(to: .scheduled)
            unsafe slot.initializeMemory(as: ScheduledWork.self, to: scheduled)
        case .job(let job):
            unsafe kind.initialize(to: .job)
            unsafe slot.initializeMemory(as: UnownedJob.self, to: job)
        }
    }

    @inline(__always)
    func take(_ index: Int) -> Inbox.Work {
        let slot = unsafe slot(index)
        switch unsafe kind(index).pointee {
        case .closure: return unsafe .closure(slot.assumingMemoryBound(to: Closure.self).move().work)
        case .scheduled: return unsafe .scheduled(slot.assumingMemoryBound(to: ScheduledWork.self).move())
        case .job: return unsafe .job(slot.assumingMemoryBound(to: UnownedJob.self).move())
        }
    }
}
