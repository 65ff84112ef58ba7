// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    /// Disposes a subscription when its loop is disposed. A ``WatchAnchor`` of it belongs into a list of the client,
    /// which the disposed loop empties.
    final class LoopBoundSubscription: LoopBound {
        let loop: any LoopScheduler
        private let subscription: SignalSubscription

        init(_ subscription: SignalSubscription, on loop: any LoopScheduler) {
            self.subscription = subscription
            self.loop = loop
        }

        /// Ends the subscription. The subscription and the client retain each other.
        func abandon() { subscription.dispose() }
    }
#endif
