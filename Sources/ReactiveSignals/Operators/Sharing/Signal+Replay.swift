// SPDX-License-Identifier: MIT
public import ReactiveCore
public import Synchronization

extension Signal {
    /// Shares one subscription to this signal, and replays its last `limit` values and its termination to later
    /// subscribers.
    ///
    /// The first subscriber starts the source, once. The source continues without subscribers. It is disposed when the
    /// last copy of the result and the last subscription are released.
    ///
    /// - Parameters:
    ///   - limit: How many values to replay. Zero or less replays none, `.max` all.
    ///   - policy: How to buffer values for a paused subscriber, which does not pause the source.
    @inlinable
    public func replayLazily(upTo limit: Int, whilePaused policy: BufferPolicy = .unbounded) -> Signal {
        let (core, isStarted) = (ReplayCore<Value, Failure>(limit, policy), Switch())
        let input = SignalSubscription()
        // The core must not retain the owner, because it retains the subscribers, which retain the owner.
        let owner = ScopedDisposable(input)
        return Signal(start: { sink, subscription in
            // Each subscription retains the owner.
            subscription.onDispose { withExtendedLifetime(owner) {} }
            core.subscribe(sink, subscription)
            guard !isStarted.isOn.exchange(true, ordering: .acquiringAndReleasing) else { return }
            relay(
                in: input.carryingContext(of: subscription),
                { core.send($0) },
                { termination in if input.end() { core.send(termination: termination) } }
            )
        })
    }
}
