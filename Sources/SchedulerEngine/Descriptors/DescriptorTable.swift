import CReactive
import ReactiveCore
import ReactiveSupport

/// Which watches a descriptor has, and the generation that tells its events from those of an earlier holder of its number.
///
/// The poller knows one registration for each descriptor; its token is the generation and the number. A number that is
/// closed and used again gets the next generation, so an event still on its way to the old one finds nobody (rule D6).
///
/// The memory is its own: an array's uses would be checked for exclusivity one by one, several for each event. Nothing that
/// is called in here calls back, and the loop's state, which this is a part of, is one thread's at a time. A slot retains its
/// watch by hand, so that the watch's address can be had without touching the watch. Slots lie in chunks, and a chunk exists
/// once one of its numbers has been watched: a high number costs no memory for all lower ones.
final class DescriptorTable {
    private struct Slot {
        var generation: UInt32 = 0
        /// What the poller has been asked for; nil where the descriptor is not registered.
        var registered: Readiness?
        /// Whether there are more watches, in `others`: where reading and writing have owners of their own (rule N3).
        var isShared = false
        /// Nearly always the only one. Retained.
        var first: Unmanaged<WatchEntry>?

        /// Whether a token is of the number's present holder.
        @inline(__always)
        func isMeant(by token: UInt64) -> Bool { generation == UInt32(token >> 32) }
    }

    private static let chunkBits = 6
    private static let chunkSize = 1 << chunkBits

    /// Stands for every chunk that does not exist, so that a lookup need not ask. Nothing is written to it.
    private let emptyChunk: UnsafeMutablePointer<Slot>
    private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Slot>>
    private var chunkCount = 1
    /// How many watches there are.
    private(set) var watchCount = 0
    /// By descriptor, in the order in which they were made, behind the first.
    private var others: [Int32: [WatchEntry]] = [:]

    init() {
        emptyChunk = Self.makeChunk()
        chunks = .allocate(capacity: 1)
        chunks.initialize(to: emptyChunk)
    }

    deinit {
        _ = removeAll()
        chunks.deallocate()
        emptyChunk.deallocate()
    }

    // MARK: What there is

    /// What the descriptor's registration is told apart from others by.
    func token(_ descriptor: Int32) -> UInt64 {
        UInt64(self[descriptor].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    /// What the poller has been asked for; nil where the descriptor is not registered.
    func registered(_ descriptor: Int32) -> Readiness? { self[descriptor].registered }

    /// What the descriptor's watches want, together. A disposed watch wants nothing.
    func wanted(_ descriptor: Int32) -> Readiness {
        let slot = self[descriptor]
        if !slot.isShared { return slot.first?._withUnsafeGuaranteedRef { $0.wantedNow } ?? [] }
        return watches(descriptor).reduce(into: []) { $0.formUnion($1.wantedNow) }
    }

    /// Whether the descriptor has a watch that is not disposed. Without one its owner may have closed it.
    func isWatched(_ descriptor: Int32) -> Bool {
        let slot = self[descriptor]
        if !slot.isShared { return slot.first?._withUnsafeGuaranteedRef { !$0.isDisposed } ?? false }
        return watches(descriptor).contains { !$0.isDisposed }
    }

    /// All watches of a descriptor, in the order in which they were made.
    func watches(_ descriptor: Int32) -> [WatchEntry] {
        let slot = self[descriptor]
        guard let first = slot.first else { return [] }
        return slot.isShared
            ? [first.takeUnretainedValue()] + (others[descriptor] ?? []) : [first.takeUnretainedValue()]
    }

    /// Whether there is no watch at all.
    var isEmpty: Bool { watchCount == 0 }

    // MARK: Changing it

    func add(_ watch: WatchEntry) {
        let slot = slot(for: watch.descriptor)
        watchCount += 1
        if slot.pointee.first == nil {
            slot.pointee.first = Unmanaged.passRetained(watch)
        } else {
            slot.pointee.isShared = true
            others[watch.descriptor, default: []].append(watch)
        }
    }

    /// Whether it was there.
    func remove(_ watch: WatchEntry) -> Bool {
        guard let first = self[watch.descriptor].first else { return false }
        let slot = slot(for: watch.descriptor)
        var left = slot.pointee.isShared ? others[watch.descriptor] ?? [] : []
        if first.toOpaque() == Unmanaged.passUnretained(watch).toOpaque() {
            slot.pointee.first = left.isEmpty ? nil : Unmanaged.passRetained(left.removeFirst())
            // Whoever calls has it still.
            first.release()
        } else {
            guard let place = left.firstIndex(where: { $0 === watch }) else { return false }
            left.remove(at: place)
        }
        watchCount -= 1
        if slot.pointee.isShared { others[watch.descriptor] = left.isEmpty ? nil : left }
        slot.pointee.isShared = !left.isEmpty
        return true
    }

    /// Empties it, and returns what was there: which descriptors were registered, and all watches.
    func removeAll() -> (registered: [Int32], watches: [WatchEntry]) {
        var registered: [Int32] = []
        var all: [WatchEntry] = []
        all.reserveCapacity(watchCount)
        for chunk in 0..<chunkCount where chunks[chunk] != emptyChunk {
            for number in 0..<Self.chunkSize {
                let descriptor = Int32(chunk << Self.chunkBits + number)
                all += watches(descriptor)
                let slot = chunks[chunk] + number
                if slot.pointee.registered != nil { registered.append(descriptor) }
                slot.pointee.first?.release()
            }
            chunks[chunk].deallocate()
            chunks[chunk] = emptyChunk
        }
        watchCount = 0
        others = [:]
        return (registered, all)
    }

    func setRegistered(_ interest: Readiness?, _ descriptor: Int32) {
        let slot = slot(for: descriptor)
        slot.pointee.registered = interest
        if interest == nil { slot.pointee.generation &+= 1 }
    }

    // MARK: Events

    /// What a poller was asked for by a token, or everything where the token is not of this table.
    func registered(as token: UInt64) -> Readiness {
        let index = Int(token & 0xffff_ffff)
        return index >> Self.chunkBits < chunkCount ? slot(at: index).pointee.registered ?? [] : [.read, .write]
    }

    /// The watch that a token stands for, where its descriptor has exactly one: the usual case, which costs no array. It is
    /// not retained for the caller.
    @inline(__always)
    func onlyWatch(of token: UInt64) -> Unmanaged<WatchEntry>? {
        let slot = slot(at: Int(token & 0xffff_ffff))
        return slot.pointee.isMeant(by: token) && !slot.pointee.isShared ? slot.pointee.first : nil
    }

    /// Asks for the watch of an event that comes later in the batch, so that it is here by then. With a thousand connections each line
    /// of memory comes from far away, which takes as long as a hundred instructions.
    @inline(__always)
    func prefetchWatch(of token: UInt64) {
        guard let watch = slot(at: Int(token & 0xffff_ffff)).pointee.first else { return }
        let address = UnsafeRawPointer(watch.toOpaque())
        reactive_prefetch(address)
        // It may lie across two lines.
        reactive_prefetch(address + 48)
    }

    /// Asks for whom that watch calls, when the watch itself is there.
    @inline(__always)
    func prefetchCallee(of token: UInt64) {
        let slot = slot(at: Int(token & 0xffff_ffff))
        slot.pointee.first?._withUnsafeGuaranteedRef { watch in watch.prefetchCallee() }
    }

    @inline(__always)
    func prefetchForCallee(of token: UInt64) {
        let slot = slot(at: Int(token & 0xffff_ffff))
        slot.pointee.first?._withUnsafeGuaranteedRef { watch in watch.prefetchForCallee() }
    }

    /// The watches a token stands for; none where its descriptor has changed hands.
    func watches(of token: UInt64) -> [WatchEntry] {
        let index = Int(token & 0xffff_ffff)
        guard let descriptor = Int32(exactly: index), slot(at: index).pointee.isMeant(by: token) else {
            return []
        }
        return watches(descriptor)
    }

    // MARK: Memory

    /// The slot of a descriptor that is not negative.
    private subscript(descriptor: Int32) -> Slot { slot(at: Int(descriptor)).pointee }

    /// A slot to look at: that of a number, or an empty one where the number has never been watched.
    @inline(__always)
    private func slot(at index: Int) -> UnsafeMutablePointer<Slot> {
        let chunk = index >> Self.chunkBits
        return (chunk < chunkCount ? chunks[chunk] : emptyChunk) + (index & (Self.chunkSize - 1))
    }

    /// A slot to change, made where there is none.
    private func slot(for descriptor: Int32) -> UnsafeMutablePointer<Slot> {
        let chunk = Int(descriptor) >> Self.chunkBits
        if chunk >= chunkCount { grow(to: chunk + 1) }
        if chunks[chunk] == emptyChunk { chunks[chunk] = Self.makeChunk() }
        return slot(at: Int(descriptor))
    }

    private func grow(to needed: Int) {
        let larger = max(needed, 2 * chunkCount)
        let moved = UnsafeMutablePointer<UnsafeMutablePointer<Slot>>.allocate(capacity: larger)
        moved.moveInitialize(from: chunks, count: chunkCount)
        (moved + chunkCount).initialize(repeating: emptyChunk, count: larger - chunkCount)
        chunks.deallocate()
        chunks = moved
        chunkCount = larger
    }

    private static func makeChunk() -> UnsafeMutablePointer<Slot> {
        let chunk = UnsafeMutablePointer<Slot>.allocate(capacity: chunkSize)
        chunk.initialize(repeating: Slot(), count: chunkSize)
        return chunk
    }
}
