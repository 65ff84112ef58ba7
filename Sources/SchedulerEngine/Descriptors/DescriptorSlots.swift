// SPDX-License-Identifier: MIT
import ReactiveCore

/// The entry of a ``DescriptorTable`` for one descriptor number.
///
/// Safe: the table owns one reference count of `first` for each of its slots.
@safe
struct DescriptorSlot {
    var generation: UInt32 = 0
    /// The interest that is registered with the poller. `nil` means that the descriptor is not registered.
    var registered: Readiness?
    /// Whether the table's `others` contains further watches of the descriptor (rule N3).
    var isShared = false
    /// The first watch. Nearly always it is the only one. The slot retains it.
    var first: Unmanaged<WatchEntry>?

    /// Whether a token belongs to the current registration of this descriptor number.
    @inline(__always)
    func isMeant(by token: UInt64) -> Bool { generation == UInt32(token >> 32) }
}

/// The slots of a ``DescriptorTable``, by descriptor.
///
/// The memory is unmanaged, because Swift would check each access to an array for exclusivity, several times per event.
/// The slots are in chunks. A chunk is allocated when one of its numbers is first watched, so a high number needs no
/// memory for the lower numbers.
///
/// Safe: a chunk is initialized when it is allocated, and a lookup returns a slot of an existing chunk. One thread at a
/// time uses the slots, and no code that runs during an access uses them.
@safe
class DescriptorSlots {
    private static let chunkBits = 6
    private static let chunkSize = 1 << chunkBits

    /// A shared chunk of empty slots. `chunks` contains it for every chunk that is not allocated, so a lookup needs no
    /// nil check. No method writes to it.
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

    /// The slot of a non-negative number, for reading. The slot of a number that has never been watched is empty.
    final subscript(index: Int) -> DescriptorSlot {
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(slot(at: index)) }
    }

    /// False if no descriptor of this or a higher chunk has been watched, so the slot is certainly empty.
    final func holds(_ index: Int) -> Bool { index >> Self.chunkBits < chunkCount }

    /// Calls `body` with the slot of a descriptor, which `body` may change. Creates a missing slot first.
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

    /// Frees all chunks. The caller must first take the watches that the slots own.
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
