public import ReactiveCore
import Synchronization

extension Signal {
    /// One subscription to this signal for all who subscribe to the result, and its last `limit` values for those who come
    /// late; also its end.
    ///
    /// The first observer starts it. It is not started again, and goes on without observers: it is disposed when the last
    /// copy of the result and the last observer have gone. Zero and less remember nothing. The source does not wait for
    /// its observers: each paused one has its values kept for it, as `policy` says.
    @inlinable
    public func replayLazily(upTo limit: Int, whilePaused policy: BufferPolicy = .unbounded) -> Signal {
        let (core, isStarted) = (ReplayCore<Value, Failure>(limit, policy), OnceFlag())
        let input = SignalSubscription()
        // Apart from the core, which knows the observers, who know the owner.
        let owner = ScopedDisposable(input)
        return Signal(start: { [start] sink, subscription in
            // Who observes keeps it.
            subscription.onDispose { withExtendedLifetime(owner) {} }
            core.subscribe(sink, subscription)
            guard isStarted.set() else { return }
            start(
                RelaySink(
                    { core.send($0) },
                    { termination in if input.end() { core.send(termination: termination) } }
                ),
                input
            )
        })
    }
}

/// Something that is done once, by whoever comes first.
@usableFromInline
final class OnceFlag: Sendable {
    private let isSet = Atomic<Bool>(false)

    @usableFromInline
    init() {}

    /// True for the first caller.
    @usableFromInline
    func set() -> Bool { !isSet.exchange(true, ordering: .acquiringAndReleasing) }
}
