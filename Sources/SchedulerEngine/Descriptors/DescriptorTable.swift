// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The watches of each descriptor.
///
/// The poller has one registration for each descriptor. The token of a registration consists of the descriptor's number
/// and a generation. If a descriptor is closed and its number is reused, the next registration has the next generation.
/// A late event of the old registration then matches no watch (rule D6).
///
/// A slot stores its watch as an unmanaged reference, so that comparing addresses does not touch the watch's reference
/// count.
///
/// Safe: the slots own one reference count for each `first` that is not nil, from ``add(_:)`` to ``remove(_:)`` or
/// ``removeAll()``.
final class DescriptorTable: DescriptorSlots {
    /// The number of watches.
    private(set) var watchCount = 0
    /// The watches of each descriptor after the first one, in the order in which they were added.
    private var others: [Int32: [WatchEntry]] = [:]

    deinit { _ = removeAll() }

    // MARK: Queries

    /// The token of the descriptor's registration.
    func token(_ descriptor: Int32) -> UInt64 {
        UInt64(self[descriptor].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    /// The interest that is registered with the poller. `nil` means that the descriptor is not registered.
    func registered(_ descriptor: Int32) -> Readiness? { self[descriptor].registered }

    /// The union of the interests of the descriptor's watches. A disposed watch has no interest.
    func wanted(_ descriptor: Int32) -> Readiness {
        let slot = self[descriptor]
        if !slot.isShared { return unsafe slot.first?._withUnsafeGuaranteedRef { $0.wantedNow } ?? [] }
        return watches(descriptor).reduce(into: []) { $0.formUnion($1.wantedNow) }
    }

    /// Whether the descriptor has a watch that is not disposed. If all watches are disposed, the owner may have closed
    /// the descriptor.
    func isWatched(_ descriptor: Int32) -> Bool {
        let slot = self[descriptor]
        if !slot.isShared { return unsafe slot.first?._withUnsafeGuaranteedRef { !$0.isDisposed } ?? false }
        return watches(descriptor).contains { !$0.isDisposed }
    }

    /// All watches of a descriptor, in the order in which they were added.
    func watches(_ descriptor: Int32) -> [WatchEntry] {
        let slot = self[descriptor]
        guard let first = unsafe slot.first else { return [] }
        let watch = unsafe first.takeUnretainedValue()
        return slot.isShared ? [watch] + (others[descriptor] ?? []) : [watch]
    }

    /// Whether the table has no watch.
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

    /// Removes a watch. Returns whether it was in the table.
    func remove(_ watch: WatchEntry) -> Bool {
        let slot = self[watch.descriptor]
        guard let first = unsafe slot.first else { return false }
        var left = slot.isShared ? others[watch.descriptor] ?? [] : []
        if unsafe first.toOpaque() == Unmanaged.passUnretained(watch).toOpaque() {
            let next = unsafe left.isEmpty ? nil : Unmanaged.passRetained(left.removeFirst())
            change(watch.descriptor) { slot in unsafe slot.first = next }
            // This does not release the last reference: the caller retains the watch.
            unsafe first.release()
        } else {
            guard let index = left.firstIndex(where: { $0 === watch }) else { return false }
            left.remove(at: index)
        }
        watchCount -= 1
        if slot.isShared { others[watch.descriptor] = left.isEmpty ? nil : left }
        change(watch.descriptor) { slot in slot.isShared = !left.isEmpty }
        return true
    }

    /// Empties the table. Returns the descriptors that were registered, and all watches.
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

    /// The interest that is registered under a token. The loop's own tokens have no slot. For them the result is
    /// `[.read, .write]`, so that `collect` keeps every report.
    func registered(as token: UInt64) -> Readiness {
        let index = Int(token & 0xffff_ffff)
        return holds(index) ? self[index].registered ?? [] : [.read, .write]
    }

    /// The watch of a token, if its descriptor has exactly one watch. This common case allocates no array. The result
    /// is not retained.
    @inline(__always)
    func onlyWatch(of token: UInt64) -> Unmanaged<WatchEntry>? {
        let slot = self[Int(token & 0xffff_ffff)]
        return unsafe slot.isMeant(by: token) && !slot.isShared ? slot.first : nil
    }

    /// The watches of a token. The result is empty if the descriptor's number has a newer registration.
    func watches(of token: UInt64) -> [WatchEntry] {
        let index = Int(token & 0xffff_ffff)
        guard let descriptor = Int32(exactly: index), self[index].isMeant(by: token) else {
            return []
        }
        return watches(descriptor)
    }

    /// The slot of a non-negative descriptor.
    private subscript(descriptor: Int32) -> DescriptorSlot { self[Int(descriptor)] }
}
