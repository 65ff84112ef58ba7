import CReactive
import ReactiveCore
import ReactiveSupport

/// Which watches a descriptor has, and the generation that tells its events from those of an earlier holder of its number.
///
/// The poller knows one registration for each descriptor; its token is the generation and the number. A number that is
/// closed and used again gets the next generation, so an event still on its way to the old one finds nobody (rule D6).
///
/// A slot retains its watch by hand, so that the watch's address can be had without touching the watch.
///
/// Safe: the slots own one count for each `first` that is not nil, from ``add(_:)`` to ``remove(_:)`` or ``removeAll()``.
final class DescriptorTable: DescriptorSlots {
    /// How many watches there are.
    private(set) var watchCount = 0
    /// By descriptor, in the order in which they were made, behind the first.
    private var others: [Int32: [WatchEntry]] = [:]

    deinit { _ = removeAll() }

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
        if !slot.isShared { return unsafe slot.first?._withUnsafeGuaranteedRef { $0.wantedNow } ?? [] }
        return watches(descriptor).reduce(into: []) { $0.formUnion($1.wantedNow) }
    }

    /// Whether the descriptor has a watch that is not disposed. Without one its owner may have closed it.
    func isWatched(_ descriptor: Int32) -> Bool {
        let slot = self[descriptor]
        if !slot.isShared { return unsafe slot.first?._withUnsafeGuaranteedRef { !$0.isDisposed } ?? false }
        return watches(descriptor).contains { !$0.isDisposed }
    }

    /// All watches of a descriptor, in the order in which they were made.
    func watches(_ descriptor: Int32) -> [WatchEntry] {
        let slot = self[descriptor]
        guard let first = unsafe slot.first else { return [] }
        let watch = unsafe first.takeUnretainedValue()
        return slot.isShared ? [watch] + (others[descriptor] ?? []) : [watch]
    }

    /// Whether there is no watch at all.
    var isEmpty: Bool { watchCount == 0 }

    // MARK: Changing it

    func add(_ watch: WatchEntry) {
        watchCount += 1
        let isShared = change(watch.descriptor) { slot in
            if unsafe slot.first != nil {
                slot.isShared = true
            } else {
                unsafe slot.first = .passRetained(watch)
            }
            return slot.isShared
        }
        if isShared { others[watch.descriptor, default: []].append(watch) }
    }

    /// Whether it was there.
    func remove(_ watch: WatchEntry) -> Bool {
        let slot = self[watch.descriptor]
        guard let first = unsafe slot.first else { return false }
        var left = slot.isShared ? others[watch.descriptor] ?? [] : []
        if unsafe first.toOpaque() == Unmanaged.passUnretained(watch).toOpaque() {
            let next = unsafe left.isEmpty ? nil : Unmanaged.passRetained(left.removeFirst())
            change(watch.descriptor) { slot in unsafe slot.first = next }
            // Whoever calls has it still.
            unsafe first.release()
        } else {
            guard let place = left.firstIndex(where: { $0 === watch }) else { return false }
            left.remove(at: place)
        }
        watchCount -= 1
        if slot.isShared { others[watch.descriptor] = left.isEmpty ? nil : left }
        change(watch.descriptor) { slot in slot.isShared = !left.isEmpty }
        return true
    }

    /// Empties it, and returns what was there: which descriptors were registered, and all watches.
    func removeAll() -> (registered: [Int32], watches: [WatchEntry]) {
        var registered: [Int32] = []
        var all: [WatchEntry] = []
        all.reserveCapacity(watchCount)
        forEachSlot { descriptor, slot in
            all += watches(descriptor)
            if slot.registered != nil { registered.append(descriptor) }
            unsafe slot.first?.release()
        }
        removeAllSlots()
        watchCount = 0
        others = [:]
        return (registered, all)
    }

    func setRegistered(_ interest: Readiness?, _ descriptor: Int32) {
        change(descriptor) { slot in
            slot.registered = interest
            if interest == nil { slot.generation &+= 1 }
        }
    }

    // MARK: Events

    /// What a poller was asked for by a token, or everything where the token is not of this table.
    func registered(as token: UInt64) -> Readiness {
        let index = Int(token & 0xffff_ffff)
        return holds(index) ? self[index].registered ?? [] : [.read, .write]
    }

    /// The watch that a token stands for, where its descriptor has exactly one: the usual case, which costs no array. It is
    /// not retained for the caller.
    @inline(__always)
    func onlyWatch(of token: UInt64) -> Unmanaged<WatchEntry>? {
        let slot = self[Int(token & 0xffff_ffff)]
        return unsafe slot.isMeant(by: token) && !slot.isShared ? slot.first : nil
    }

    /// Requests the memory of the watch of a later event in the batch. With a thousand connections it is not in the cache, and waiting
    /// for it takes as long as a hundred instructions.
    @inline(__always)
    func prefetchWatch(of token: UInt64) {
        guard let watch = unsafe self[Int(token & 0xffff_ffff)].first else { return }
        let address = unsafe UInt(bitPattern: watch.toOpaque())
        reactive_prefetch(address)
        // It may span two cache lines.
        reactive_prefetch(address &+ 48)
    }

    /// Requests the memory of the connection that the watch calls. The watch itself was prefetched one event earlier.
    @inline(__always)
    func prefetchOwner(of token: UInt64) {
        unsafe self[Int(token & 0xffff_ffff)].first?._withUnsafeGuaranteedRef { watch in
            reactive_prefetch(watch.ownerAddress)
            // Each message uses two cache lines of its connection.
            reactive_prefetch(watch.ownerAddress &+ 64)
        }
    }

    /// The watches a token stands for; none where its descriptor has changed hands.
    func watches(of token: UInt64) -> [WatchEntry] {
        let index = Int(token & 0xffff_ffff)
        guard let descriptor = Int32(exactly: index), self[index].isMeant(by: token) else {
            return []
        }
        return watches(descriptor)
    }

    /// The slot of a descriptor that is not negative.
    private subscript(descriptor: Int32) -> DescriptorSlot { self[Int(descriptor)] }
}
