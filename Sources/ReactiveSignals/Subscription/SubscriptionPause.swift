import ReactiveCore
import Synchronization

/// One party's hold on a subscription; giving it back a second time does nothing.
final class SubscriptionPause: Disposable {
    private let subscription: SignalSubscription
    private let isReturned = Atomic<Bool>(false)

    init(_ subscription: SignalSubscription) {
        self.subscription = subscription
    }

    var isDisposed: Bool { isReturned.load(ordering: .acquiring) || subscription.isDisposed }

    func dispose() {
        if !isReturned.exchange(true, ordering: .acquiringAndReleasing) { subscription.removePause() }
    }
}
