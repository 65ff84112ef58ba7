import ReactiveSupport
import Synchronization

/// A subscription that ends and waits together with another one, and may end earlier by itself.
///
/// Why `@unchecked Sendable` is right: the class it is made of is so, and what it adds is constant or atomic.
final class ChildSubscription: SignalSubscription, @unchecked Sendable {
    /// Weak, or a subscription that is neither disposed nor ended could never be freed.
    private weak let parent: SignalSubscription?
    /// Its place among its parent's links.
    private let slot = Atomic<Int>(0)

    private let inherited: SubscriptionActivity?

    init(of parent: SignalSubscription) {
        self.parent = parent
        inherited = parent.activity
    }

    override var activity: SubscriptionActivity? { inherited }

    func didLink(at slot: Int) { self.slot.store(slot, ordering: .releasing) }

    override func leaveParent() {
        guard let parent, !parent.isDisposed else { return }
        parent.ledger.withLock { ledger in ledger.removeLink(slot.load(ordering: .acquiring), of: self) }
    }
}
