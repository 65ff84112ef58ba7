import CReactive
import ReactiveCore
import ReactiveSupport

/// Which watches a descriptor has, and the generation that tells its events from those of an earlier holder of its number.
///
/// The poller knows one registration for each descriptor; its token is the generation and the number. A number that is
/// closed and used again gets the next generation, so an event still on its way to the old one finds nobody (rule D6).
///
/// The memory is its own: an array's uses would be checked for exclusivity one by one, several for each event. Nothing that
/// is called in here calls back, and the loop's state, which this is a part of, is one thread's at a time. A slot is as small
/// as it can be, since there is one for each number, and retains its watch by hand, so that the watch's address can be had
/// without touching the watch.
final class DescriptorTable {
    private struct Slot {
        var generation: UInt32 = 0
        /// What the poller has been asked for; nil where the descriptor is not registered.
        var registered: Readiness?
        /// Whether there are more watches, in `others`: where reading and writing have owners of their own (rule N3).
        var isShared = false
        /// Nearly always the only one. Retained.
        var first: Unmanaged<WatchEntry>?
    }

    private var memory = UnsafeMutablePointer<Slot>.allocate(capacity: 64)
    private var capacity = 64
    private var count = 0
    /// By descriptor, in the order in which they were made, behind the first.
    private var others: [Int32: [WatchEntry]] = [:]

    deinit {
        _ = removeAll()
        memory.deallocate()
    }

    // MARK: What there is

    /// What the descriptor's registration is told apart from others by.
    func token(_ descriptor: Int32) -> UInt64 {
        UInt64(self[descriptor].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    /// What the poller has been asked for; nil where the descriptor is not registered.
    func registered(_ descriptor: Int32) -> Readiness? { self[descriptor].registered }

    /// What the descriptor's watches want, together.
    func wanted(_ descriptor: Int32) -> Readiness {
        let slot = self[descriptor]
        if !slot.isShared { return slot.first?.takeUnretainedValue().wanted ?? [] }
        return watches(descriptor).reduce(into: []) { $0.formUnion($1.wanted) }
    }

    func isEmpty(_ descriptor: Int32) -> Bool { self[descriptor].first == nil }

    /// All watches of a descriptor, in the order in which they were made.
    func watches(_ descriptor: Int32) -> [WatchEntry] {
        let slot = self[descriptor]
        guard let first = slot.first else { return [] }
        return slot.isShared
            ? [first.takeUnretainedValue()] + (others[descriptor] ?? []) : [first.takeUnretainedValue()]
    }

    /// How many watches there are.
    var watchCount: Int { (0..<Int32(count)).reduce(0) { $0 + watches($1).count } }

    /// Whether there is no watch at all. It looks at every slot.
    var isEmpty: Bool { (0..<count).allSatisfy { index in memory[index].first == nil } }

    // MARK: Changing it

    func add(_ watch: WatchEntry) {
        let slot = slot(for: watch.descriptor)
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
        let slot = memory + Int(watch.descriptor)
        var left = slot.pointee.isShared ? others[watch.descriptor] ?? [] : []
        if first.toOpaque() == Unmanaged.passUnretained(watch).toOpaque() {
            slot.pointee.first = left.isEmpty ? nil : Unmanaged.passRetained(left.removeFirst())
            // Whoever calls has it still.
            first.release()
        } else {
            guard let place = left.firstIndex(where: { $0 === watch }) else { return false }
            left.remove(at: place)
        }
        if slot.pointee.isShared { others[watch.descriptor] = left.isEmpty ? nil : left }
        slot.pointee.isShared = !left.isEmpty
        return true
    }

    /// Empties it, and returns what was there: which descriptors were registered, and all watches.
    func removeAll() -> (registered: [Int32], watches: [WatchEntry]) {
        let all = (0..<Int32(count)).flatMap { watches($0) }
        let registered = (0..<Int32(count)).filter { self[$0].registered != nil }
        for index in 0..<count { memory[index].first?.release() }
        count = 0
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
        return index < count ? memory[index].registered ?? [] : [.read, .write]
    }

    /// Whether there is exactly one watch of the descriptor that a token stands for: the usual case, which costs no array.
    @inline(__always)
    func hasOnlyWatch(of token: UInt64) -> Bool {
        let index = Int(token & 0xffff_ffff)
        return index < count && isOfThisGeneration(token) && !memory[index].isShared && memory[index].first != nil
    }

    /// Calls `body` with that one, which is not held for it: `body` may only look.
    @inline(__always)
    func withOnlyWatch<Result>(of token: UInt64, _ body: (WatchEntry) -> Result) -> Result {
        guard let watch = memory[Int(token & 0xffff_ffff)].first else { preconditionFailure("no watch") }
        return watch._withUnsafeGuaranteedRef { watch in body(watch) }
    }

    /// Asks for the watch of an event that comes later in the batch, so that it is here by then. With a thousand connections each line
    /// of memory comes from far away, which takes as long as a hundred instructions.
    @inline(__always)
    func prefetchWatch(of token: UInt64) {
        let index = Int(token & 0xffff_ffff)
        guard index < count, let watch = memory[index].first else { return }
        let address = UnsafeRawPointer(watch.toOpaque())
        reactive_prefetch(address)
        // It may lie across two lines.
        reactive_prefetch(address + 48)
    }

    /// Asks for whom that watch calls, when the watch itself is there.
    @inline(__always)
    func prefetchCallee(of token: UInt64) {
        let index = Int(token & 0xffff_ffff)
        if index < count { memory[index].first?._withUnsafeGuaranteedRef { watch in watch.prefetchCallee() } }
    }

    @inline(__always)
    func prefetchForCallee(of token: UInt64) {
        let index = Int(token & 0xffff_ffff)
        if index < count { memory[index].first?._withUnsafeGuaranteedRef { watch in watch.prefetchForCallee() } }
    }

    /// The watches a token stands for; none where its descriptor has changed hands.
    func watches(of token: UInt64) -> [WatchEntry] {
        let index = Int(token & 0xffff_ffff)
        guard index < count, isOfThisGeneration(token) else { return [] }
        return watches(Int32(index))
    }

    @inline(__always)
    private func isOfThisGeneration(_ token: UInt64) -> Bool {
        memory[Int(token & 0xffff_ffff)].generation == UInt32(token >> 32)
    }

    // MARK: Memory

    /// The slot of a descriptor that is not negative.
    private subscript(descriptor: Int32) -> Slot {
        let index = Int(descriptor)
        return index < count ? memory[index] : Slot()
    }

    /// The same, made where there is none; good until the next call.
    private func slot(for descriptor: Int32) -> UnsafeMutablePointer<Slot> {
        let index = Int(descriptor)
        if index >= capacity { grow(to: index + 1) }
        while count <= index {
            (memory + count).initialize(to: Slot())
            count += 1
        }
        return memory + index
    }

    private func grow(to needed: Int) {
        while capacity < needed { capacity *= 2 }
        let larger = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
        larger.moveInitialize(from: memory, count: count)
        memory.deallocate()
        memory = larger
    }
}
