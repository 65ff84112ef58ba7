// SPDX-License-Identifier: MIT
package import ReactiveCore
package import ReactiveSupport
package import Synchronization

/// Moves a signal's values to a loop, in the order in which they are sent.
///
/// On the loop, a step runs immediately. A step from another thread runs as work of the loop. The source is paused
/// until then, so no queue grows. Until that step has run, later steps from any thread queue behind it.
package struct LoopCrossing: ~Copyable, Sendable {
    /// The number of submitted jobs that have not run. Allocated with the first job, because most sources send only on
    /// the loop.
    @usableFromInline let crossing = LazyReference<Crossing>()

    package init() {}

    /// Whether the caller may run its step immediately: it is on the loop, and no step is on its way there.
    @inlinable
    package func isThere(on loop: any LoopScheduler) -> Bool { loop.isCurrent && isNothingUnderWay }

    /// Whether no step is on its way to the loop. For a caller that is known to be on the loop.
    @inlinable
    package var isNothingUnderWay: Bool { crossing.object?.count.load(ordering: .acquiring) ?? 0 == 0 }

    /// Runs a value's step as work of the loop, and pauses the source until then.
    package func send(
        to loop: any LoopScheduler,
        pausing source: SignalSubscription,
        _ step: @escaping @Sendable () -> Void
    ) {
        let crossing = crossing.object(orStoring: Crossing())
        let pause = source.pause()
        crossing.count.add(1, ordering: .acquiringAndReleasing)
        loop.execute {
            crossing.count.subtract(1, ordering: .acquiringAndReleasing)
            step()
            pause.dispose()
        }
    }

    @usableFromInline
    final class Crossing: Sendable {
        @usableFromInline let count = Atomic<Int>(0)
    }
}
