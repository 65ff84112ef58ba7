// SPDX-License-Identifier: MIT
import ReactiveCore

/// The entry of a ``DescriptorTable`` for one descriptor.
///
/// Safe: the table that contains the slot owns one reference count of `first`.
@safe
struct DescriptorSlot {
    var generation: UInt32 = 0
    /// The interest registered with the poller; nil if the descriptor is not registered.
    var registered: Readiness?
    /// Whether the table's `others` has further watches of the descriptor, such as a writer beside a reader (rule N3).
    var isShared = false
    /// The first watch, which is nearly always the only one. The slot retains it.
    var first: Unmanaged<WatchEntry>?

    /// Whether a token belongs to the present registration of this descriptor number.
    @inline(__always)
    func isMeant(by token: UInt64) -> Bool { generation == UInt32(token >> 32) }
}

/// The slots of a ``DescriptorTable``, by descriptor.
///
/// The memory is unmanaged, because Swift would check accesses to an array for exclusivity, several times for each
/// event. The slots are in chunks, and the first watch of a number allocates its chunk. So a high number costs no
/// memory for the lower numbers.
///
/// Safe: a chunk is initialized when it is allocated, and a lookup returns a slot of an existing chunk. One thread at a
/// time uses the slots, and no code that runs during an access uses them.
@safe
class DescriptorSlots {
    private static let chunkBits = 6
    private static let chunkSize = 1 << chunkBits

    /// The chunk that replaces every missing one, so that a lookup needs no check. No method writes to it.
    private let emptyChunk: UnsafeMutablePointer<DescriptorSlot>
    private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<DescriptorSlot>>
    private var chunkCount = 1

    init() {
        unsafe emptyChunk = Self.makeChunk()
        unsafe chunks = .allocate(capacity: 1)
        unsafe chunks.initialize(to: emptyChunk)
    }

    deinit {
        removeAllSlots()
        unsafe chunks.deallocate()
        unsafe emptyChunk.deallocate()
    }

    /// The slot of a non-negative number, for reading. If the number has never been watched, the slot is empty.
    final subscript(index: Int) -> DescriptorSlot {
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(slot(at: index)) }
    }

    /// Whether a non-empty slot of that number may exist.
    final func holds(_ index: Int) -> Bool { index >> Self.chunkBits < chunkCount }

    /// Calls `body` with the slot of a descriptor, which `body` may change. Creates the slot if there is none.
    @inline(__always)
    final func change<Result>(_ descriptor: Int32, _ body: (inout DescriptorSlot) -> Result) -> Result {
        let chunk = Int(descriptor) >> Self.chunkBits
        if chunk >= chunkCount { grow(to: chunk + 1) }
        if unsafe chunks[chunk] == emptyChunk { unsafe chunks[chunk] = Self.makeChunk() }
        return unsafe body(&slot(at: Int(descriptor)).pointee)
    }

    /// Calls `body` with each existing slot and its number.
    final func forEachSlot(_ body: (Int32, DescriptorSlot) -> Void) {
        for chunk in 0..<chunkCount where unsafe chunks[chunk] != emptyChunk {
            for number in 0..<Self.chunkSize {
                body(Int32(chunk << Self.chunkBits + number), unsafe chunks[chunk][number])
            }
        }
    }

    /// Frees all chunks. Afterwards the caller owns the watches that were in them.
    final func removeAllSlots() {
        for chunk in 0..<chunkCount where unsafe chunks[chunk] != emptyChunk {
            unsafe chunks[chunk].deallocate()
            unsafe chunks[chunk] = emptyChunk
        }
    }

    @inline(__always)
    private func slot(at index: Int) -> UnsafeMutablePointer<DescriptorSlot> {
        let chunk = index >> Self.chunkBits
        return unsafe (chunk < chunkCount ? chunks[chunk] : emptyChunk) + (index & (Self.chunkSize - 1))
    }

    private func grow(to needed: Int) {
        let larger = max(needed, 2 * chunkCount)
        let moved = UnsafeMutablePointer<UnsafeMutablePointer<DescriptorSlot>>.allocate(capacity: larger)
        unsafe moved.moveInitialize(from: chunks, count: chunkCount)
        unsafe (moved + chunkCount).initialize(repeating: emptyChunk, count: larger - chunkCount)
        unsafe chunks.deallocate()
        unsafe chunks = moved
        chunkCount = larger
    }

    private static func makeChunk() -> UnsafeMutablePointer<DescriptorSlot> {
        let chunk = UnsafeMutablePointer<DescriptorSlot>.allocate(capacity: chunkSize)
        unsafe chunk.initialize(repeating: DescriptorSlot(), count: chunkSize)
        return unsafe chunk
    }
}
