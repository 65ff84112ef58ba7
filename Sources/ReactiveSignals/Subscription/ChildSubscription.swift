// SPDX-License-Identifier: MIT
import ReactiveSupport
import Synchronization

/// A subscription that is disposed and paused with its parent, and that may end earlier.
///
/// `@unchecked Sendable` is safe: the superclass is `Sendable`, and the fields added here are constant or atomic.
final class ChildSubscription: SignalSubscription, @unchecked Sendable {
    /// Weak, because the parent retains the child until one of them ends. If neither ended, the two would leak.
    private weak let parent: SignalSubscription?
    /// The index of its link in the parent's ledger.
    private let slot = Atomic<Int>(0)

    private let inherited: PropagatedContext?

    init(of parent: SignalSubscription, in context: PropagatedContext?) {
        self.parent = parent
        inherited = context
    }

    override var propagated: PropagatedContext? { inherited }

    override var origin: SignalSubscription { parent?.origin ?? self }

    func didLink(at slot: Int) { self.slot.store(slot, ordering: .releasing) }

    override func unlink() {
        if let parent, !parent.isDisposed {
            parent.ledger.withLock { ledger in ledger.removeLink(slot.load(ordering: .acquiring), of: self) }
        }
    }
}
