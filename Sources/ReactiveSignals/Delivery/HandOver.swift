package import ReactiveCore
package import ReactiveSupport
package import Synchronization

/// Hands what a signal sends over to a loop, in the order in which it comes.
///
/// On the loop a step is taken at once. From another thread it is the loop's work, and the source is held until it has been
/// taken, so that no queue grows between; until then whatever comes later, from whatever thread, queues behind it.
package struct HandOver: ~Copyable, Sendable {
    /// How many steps are on their way; made with the first, since most sources never leave their loop.
    @usableFromInline let crossing = LazyReference<Crossing>()

    package init() {}

    /// Whether the caller may take its step at once: this is the loop, and nothing is on its way to it.
    @inlinable
    package func isThere(on loop: any LoopScheduler) -> Bool { loop.isCurrent && isNothingUnderWay }

    /// The same where it is known that this is the loop.
    @inlinable
    package var isNothingUnderWay: Bool { crossing.object?.count.load(ordering: .acquiring) ?? 0 == 0 }

    /// Takes a step for a value as work of the loop, and holds the source until then.
    package func send(
        to loop: any LoopScheduler,
        holding source: SignalSubscription,
        _ step: @escaping @Sendable () -> Void
    ) {
        let crossing = crossing.object(orStoring: Crossing())
        let hold = source.pause()
        crossing.count.add(1, ordering: .acquiringAndReleasing)
        loop.execute {
            crossing.count.subtract(1, ordering: .acquiringAndReleasing)
            step()
            hold.dispose()
        }
    }

    @usableFromInline
    final class Crossing: Sendable {
        @usableFromInline let count = Atomic<Int>(0)
    }
}
