import CReactive
import ReactiveCore
import ReactiveSupport

/// Which watches a descriptor has, and the generation that tells its events from those of an earlier holder of its number.
///
/// The poller knows one registration for each descriptor; its token is the generation and the number. A number that is
/// closed and used again gets the next generation, so an event still on its way to the old one finds nobody (rule D6).
///
/// The memory is its own: an array's uses would be checked for exclusivity one by one, several for each event. Nothing that
/// is called in here calls back, and the loop's state, which this is a part of, is one thread's at a time.
final class DescriptorTable {
    struct Slot {
        var generation: UInt32 = 0
        /// What the poller has been asked for; nil where the descriptor is not registered.
        var registered: Readiness?
        /// Nearly always the only one, and so no array is made for it.
        fileprivate(set) var first: WatchEntry? {
            didSet { hint = Hint(first) }
        }
        fileprivate private(set) var hint = Hint(nil)
        /// Where reading and writing have owners of their own (rule N3) there are two.
        private var others: [WatchEntry] = []

        /// All, in the order in which they were made.
        var watches: [WatchEntry] {
            guard let first else { return [] }
            return others.isEmpty ? [first] : [first] + others
        }

        var isEmpty: Bool { first == nil }

        fileprivate var isAlone: Bool { others.isEmpty }

        fileprivate mutating func append(_ watch: WatchEntry) {
            if first == nil { first = watch } else { others.append(watch) }
        }

        /// Whether it was there.
        fileprivate mutating func remove(_ watch: WatchEntry) -> Bool {
            if first === watch {
                first = others.isEmpty ? nil : others.removeFirst()
                return true
            }
            guard let place = others.firstIndex(where: { $0 === watch }) else { return false }
            others.remove(at: place)
            return true
        }

        var wanted: Readiness {
            if let first, others.isEmpty { return first.wanted }
            if fault(.lastWatchWins) { return watches.last?.wanted ?? [] }
            return watches.reduce(into: []) { $0.formUnion($1.wanted) }
        }
    }

    /// Where a watch is, and what it calls: addresses that memory is asked for by, and nothing is read from. A look at the watch itself
    /// would hold it, which needs the memory at once.
    fileprivate struct Hint {
        private let watch: UnsafeRawPointer?
        private let target: UnsafeRawPointer?

        init(_ entry: WatchEntry?) {
            watch = entry.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
            target = entry?.target
        }

        @inline(__always)
        func prefetch() {
            reactive_prefetch(watch)
            // It may lie across two lines.
            reactive_prefetch(watch.map { $0 + 48 })
            reactive_prefetch(target)
        }
    }

    private var memory = UnsafeMutablePointer<Slot>.allocate(capacity: 64)
    private var capacity = 64
    private var count = 0

    deinit {
        memory.deinitialize(count: count)
        memory.deallocate()
    }

    static func token(_ descriptor: Int32, _ generation: UInt32) -> UInt64 {
        UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    /// All of them, by descriptor.
    var slots: [Slot] { Array(UnsafeBufferPointer(start: memory, count: count)) }

    /// The slot of a descriptor that is not negative.
    subscript(descriptor: Int32) -> Slot {
        let index = Int(descriptor)
        return index < count ? memory[index] : Slot()
    }

    func add(_ watch: WatchEntry) {
        slot(for: watch.descriptor).pointee.append(watch)
    }

    /// Whether it was there.
    func remove(_ watch: WatchEntry) -> Bool {
        let index = Int(watch.descriptor)
        return index < count && memory[index].remove(watch)
    }

    func setRegistered(_ interest: Readiness?, _ descriptor: Int32) {
        let slot = slot(for: descriptor)
        slot.pointee.registered = interest
        if interest == nil { slot.pointee.generation &+= 1 }
    }

    /// What a poller was asked for by a token, or everything where the token is not of this table.
    func registered(as token: UInt64) -> Readiness {
        let index = Int(token & 0xffff_ffff)
        return index < count ? memory[index].registered ?? [] : [.read, .write]
    }

    /// Whether there is exactly one watch of the descriptor that a token stands for: the usual case, which costs no array.
    @inline(__always)
    func hasOnlyWatch(of token: UInt64) -> Bool {
        let index = Int(token & 0xffff_ffff)
        return index < count && isOfThisGeneration(token) && memory[index].isAlone && memory[index].first != nil
    }

    /// Calls `body` with that one, which is not held for it: `body` may only look.
    @inline(__always)
    func withOnlyWatch<Result>(of token: UInt64, _ body: (WatchEntry) -> Result) -> Result {
        guard let watch = memory[Int(token & 0xffff_ffff)].first else { preconditionFailure("no watch") }
        return Unmanaged.passUnretained(watch)._withUnsafeGuaranteedRef { watch in body(watch) }
    }

    /// Asks for what an event that comes later in the batch needs, so that it is here by then. With a thousand connections each line
    /// of memory comes from far away, which takes as long as a hundred instructions.
    @inline(__always)
    func prefetchWatch(of token: UInt64) {
        let index = Int(token & 0xffff_ffff)
        if index < count { (memory + index).pointee.hint.prefetch() }
    }

    /// The watches a token stands for; none where its descriptor has changed hands.
    func watches(of token: UInt64) -> [WatchEntry] {
        let index = Int(token & 0xffff_ffff)
        guard index < count, isOfThisGeneration(token) else { return [] }
        return memory[index].watches
    }

    /// Empties it, and returns what was there.
    func removeAll() -> [Slot] {
        defer {
            memory.deinitialize(count: count)
            count = 0
        }
        return slots
    }

    @inline(__always)
    private func isOfThisGeneration(_ token: UInt64) -> Bool {
        memory[Int(token & 0xffff_ffff)].generation == UInt32(token >> 32) || fault(.staleEvents)
    }

    /// The slot of a descriptor, made where there is none; good until the next call.
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
