import ReactiveCore
import ReactiveSupport

/// Which watches a descriptor has, and the generation that tells its events from those of an earlier holder of its number.
///
/// The poller knows one registration for each descriptor; its token is the generation and the number. A number that is
/// closed and used again gets the next generation, so an event still on its way to the old one finds nobody (rule D6).
struct DescriptorTable {
    struct Slot {
        var generation: UInt32 = 0
        /// What the poller has been asked for; nil where the descriptor is not registered.
        var registered: Readiness?
        /// Nearly always one; two where reading and writing have owners of their own (rule N3).
        var watches: [WatchEntry] = []

        var wanted: Readiness {
            if fault(.lastWatchWins) { return watches.last?.wanted ?? [] }
            return watches.reduce(into: []) { $0.formUnion($1.wanted) }
        }
    }

    private(set) var slots: [Slot] = []

    static func token(_ descriptor: Int32, _ generation: UInt32) -> UInt64 {
        UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    /// The slot of a descriptor that is not negative.
    subscript(descriptor: Int32) -> Slot {
        get {
            let index = Int(descriptor)
            return index < slots.count ? slots[index] : Slot()
        }
        set {
            let index = Int(descriptor)
            while slots.count <= index { slots.append(Slot()) }
            slots[index] = newValue
        }
    }

    mutating func add(_ watch: WatchEntry) {
        self[watch.descriptor].watches.append(watch)
    }

    /// Whether it was there.
    mutating func remove(_ watch: WatchEntry) -> Bool {
        let index = Int(watch.descriptor)
        guard index < slots.count, let place = slots[index].watches.firstIndex(where: { $0 === watch }) else {
            return false
        }
        slots[index].watches.remove(at: place)
        return true
    }

    mutating func setRegistered(_ interest: Readiness?, _ descriptor: Int32) {
        self[descriptor].registered = interest
        if interest == nil { slots[Int(descriptor)].generation &+= 1 }
    }

    /// What a poller was asked for by a token, or everything where the token is not of this table.
    func registered(as token: UInt64) -> Readiness {
        let index = Int(token & 0xffff_ffff)
        return index < slots.count ? slots[index].registered ?? [] : [.read, .write]
    }

    /// The only watch of the descriptor a token stands for, which is the usual case and costs no array.
    func onlyWatch(of token: UInt64) -> WatchEntry? {
        let index = Int(token & 0xffff_ffff)
        guard index < slots.count, isOfThisGeneration(token), slots[index].watches.count == 1 else { return nil }
        return slots[index].watches[0]
    }

    /// The watches a token stands for; none where its descriptor has changed hands.
    func watches(of token: UInt64) -> [WatchEntry] {
        let index = Int(token & 0xffff_ffff)
        guard index < slots.count, isOfThisGeneration(token) else { return [] }
        return slots[index].watches
    }

    @inline(__always)
    private func isOfThisGeneration(_ token: UInt64) -> Bool {
        slots[Int(token & 0xffff_ffff)].generation == UInt32(token >> 32) || fault(.staleEvents)
    }
}
