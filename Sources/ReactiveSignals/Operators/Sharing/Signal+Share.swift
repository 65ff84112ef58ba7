public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// One subscription to this signal for all who subscribe to the result: hot, as long as somebody is there (law 10).
    ///
    /// The first observer starts it, the last one to go disposes it, and the next starts it anew, also after it has ended.
    /// Who comes later gets what is sent from then on; who comes first from inside `subscribe` gets all. All see one order
    /// (law 2).
    ///
    /// Without a policy the source follows its slowest observer: it is paused while any of them is. With one it is not,
    /// and each paused observer has its values kept for it as the policy says.
    @inlinable
    public func share(whilePaused policy: BufferPolicy? = nil) -> Signal {
        let share = Share(self, policy)
        return Signal(start: { sink, subscription in share.subscribe(sink, subscription) })
    }
}

/// What a shared signal remembers: the run that is under way, if one is.
@usableFromInline
final class Share<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let source: Signal<Value, Failure>
    @usableFromInline
    let policy: BufferPolicy?
    @usableFromInline
    let current = Lock<ShareRun<Value, Failure>?>(nil)

    @inlinable
    init(_ source: Signal<Value, Failure>, _ policy: BufferPolicy?) {
        self.source = source
        self.policy = policy
    }

    @inlinable
    func subscribe(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription) {
        let fresh = ShareRun<Value, Failure>()
        // The one before is part of the result so that it is released outside the lock.
        let (run, isFirst, _) = current.withLock {
            current -> (ShareRun<Value, Failure>, Bool, ShareRun<Value, Failure>?) in
            if let current, current.observers.join() { return (current, false, nil) }
            let old = current
            current = fresh
            return (fresh, true, old)
        }
        let observers = run.observers
        if policy == nil { subscription.hold(observers.subscription, passing: .asItIs) }
        run.broadcast.value.add(sink, subscription, policy ?? .unbounded)
        // The observers rather than the run: the source is torn down with the last one, also where nothing else is left of
        // it, and no observer keeps the broadcast, which keeps the observers.
        subscription.onDispose { observers.leave() }
        guard isFirst, !observers.subscription.isDisposed else { return }
        source.start(
            RelaySink(
                { run.broadcast.value.send($0) },
                { termination in
                    observers.finish()
                    run.broadcast.value.send(termination: termination)
                }
            ),
            observers.subscription
        )
    }
}

/// One run of the source of a shared signal, from its first observer to its end or to the last one's going.
@usableFromInline
final class ShareRun<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let broadcast = UnsafeTransfer(Broadcast<Value, Failure>())
    @usableFromInline
    let observers = ShareObservers()

    @inlinable
    init() {}
}

/// Who observes a run, as a number, and the subscription to its source, which the last one disposes.
@usableFromInline
final class ShareObservers: Sendable {
    @usableFromInline
    let subscription = SignalSubscription()
    /// How many observe it; zero when it is over, and then it stays zero.
    @usableFromInline
    let count = Lock(1)

    @inlinable
    init() {}

    /// Counts one more observer; false if the run is over.
    @inlinable
    func join() -> Bool {
        count.withLock { count in
            if count > 0 { count += 1 }
            return count > 0
        }
    }

    /// One observer has gone; the last one takes the source with it.
    @inlinable
    func leave() {
        let isLast = count.withLock { count in
            count = max(0, count - 1)
            return count == 0
        }
        if isLast { subscription.dispose() }
    }

    /// The source has ended; who comes from now on starts it anew.
    @inlinable
    func finish() {
        count.withLock { $0 = 0 }
        subscription.dispose()
    }
}
