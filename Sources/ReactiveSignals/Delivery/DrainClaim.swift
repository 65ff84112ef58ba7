// SPDX-License-Identifier: MIT
public import Synchronization

/// The right to deliver, which one thread at a time holds. The others queue their events and announce them.
///
/// The count is zero while no thread holds the claim. Otherwise it is one for the holder, plus one for each
/// announcement that the holder has not seen. The holder empties the queue, then subtracts what it has seen. At zero
/// the claim is free, otherwise the holder continues. So no event that was queued before its announcement is left
/// behind, and no thread waits.
@usableFromInline
package struct DrainClaim: ~Copyable, Sendable {
    @usableFromInline
    package let count = Atomic<Int>(0)

    @inlinable
    package init() {}

    /// Takes the claim if it is free. Returns whether it did.
    @inlinable
    package borrowing func take() -> Bool {
        return count.load(ordering: .relaxed) == 0
            && count.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged
    }

    /// Announces a queued event. Returns true if the caller now holds the claim and must empty the queue.
    @inlinable
    package borrowing func announce() -> Bool {
        count.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0
    }

    /// Calls `work` until nothing was announced during the last call, then releases the claim. The caller holds it.
    ///
    /// - Parameter announced: The part of the count that the caller has seen: 1 if it has just taken the claim,
    ///   otherwise the value that ``release(_:)`` left in `seen`.
    @inlinable
    @inline(__always)
    package borrowing func drain(_ announced: Int = 1, _ work: () -> Void) {
        var seen = announced
        repeat { work() } while !release(&seen)
    }

    /// Releases the claim if `seen` counts all announced events. Otherwise updates `seen`. Returns whether the claim is
    /// free.
    @inlinable
    package borrowing func release(_ seen: inout Int) -> Bool {
        seen = count.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
        return seen == 0
    }
}
