public import ReactiveCore

extension SignalSubscription {
    /// The subscription itself where it is one of ours, or one that ends and waits together with it.
    @usableFromInline
    static func following(_ other: some Subscription) -> SignalSubscription {
        if let own = other as? SignalSubscription { return own }
        let own = SignalSubscription()
        own.onDispose { other.dispose() }
        other.onDispose { own.dispose() }
        // Calls do not overlap, and each tells the other state than the one before.
        other.onFlowChange { isPaused in if isPaused { own.addPause() } else { own.removePause() } }
        return own
    }
}
