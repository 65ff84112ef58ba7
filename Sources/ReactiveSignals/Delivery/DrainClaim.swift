public import Synchronization

/// Who delivers now: one thread at a time holds the claim, the others leave what they have in a queue and announce it.
///
/// The count is zero when nobody delivers; otherwise the holder's one, and one for each announcement it has not seen. The
/// holder empties the queue, then subtracts what it has seen: at zero the claim is free, else there may be more. So nothing
/// that was queued before its announcement is left behind, and nobody waits.
@usableFromInline
package struct DrainClaim: ~Copyable, Sendable {
    @usableFromInline
    package let count = Atomic<Int>(0)

    @inlinable
    package init() {}

    /// Takes the claim if it is free.
    @inlinable
    package borrowing func take() -> Bool {
        return count.load(ordering: .relaxed) == 0
            && count.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged
    }

    /// Says that something has been queued; true if the caller now holds the claim and has to see to it.
    @inlinable
    package borrowing func announce() -> Bool {
        count.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0
    }

    /// Calls `work` until no announcement is left that came after it began, and then gives the claim up; the caller holds it.
    ///
    /// `announced` is how much of the count the caller has seen: 1 if it has just got the claim, otherwise what ``release(_:)`` said.
    @inlinable
    @inline(__always)
    package borrowing func drain(_ announced: Int = 1, _ work: () -> Void) {
        var seen = announced
        repeat { work() } while !release(&seen)
    }

    /// Gives the claim up unless something was announced since `seen`, which is then updated; true if it is free.
    @inlinable
    package borrowing func release(_ seen: inout Int) -> Bool {
        seen = count.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
        return seen == 0
    }
}
