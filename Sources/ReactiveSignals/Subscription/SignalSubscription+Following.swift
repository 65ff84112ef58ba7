// SPDX-License-Identifier: MIT
public import ReactiveCore

extension SignalSubscription {
    /// Returns `other` if it is a `SignalSubscription`. Otherwise creates a subscription that is disposed and paused
    /// with it.
    @usableFromInline
    static func following(_ other: some Subscription) -> SignalSubscription {
        if let own = other as? SignalSubscription { return own }
        let own = SignalSubscription()
        own.onDispose { other.dispose() }
        other.onDispose { own.dispose() }
        // Calls do not overlap, and `true` and `false` alternate. So each pause is removed once.
        other.onFlowChange { isPaused in if isPaused { own.addPause() } else { own.removePause() } }
        return own
    }
}
