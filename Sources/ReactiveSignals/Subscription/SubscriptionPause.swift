// SPDX-License-Identifier: MIT
import ReactiveCore
import Synchronization

/// One pause of a subscription. Disposing it again does nothing.
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
