// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Shares one subscription to this signal between all subscribers. It is hot while subscribed to
    /// ([law 10](doc:LawsOfSignals)).
    ///
    /// The first subscriber starts the source, and the last one to be disposed disposes it. The next subscriber starts
    /// it again, even if it has terminated. The first subscriber receives all values, even those sent during
    /// `subscribe`. Later ones receive only later values. All receive the values in the same order.
    ///
    /// - Parameter policy: How to buffer values for a paused subscriber. Without a policy, the source is paused while
    ///   any subscriber is.
    @inlinable
    public func share(whilePaused policy: BufferPolicy? = nil) -> Signal {
        let share = Share(self, policy)
        return Signal(start: { sink, subscription in share.subscribe(sink, subscription) })
    }
}

/// The current run of a shared signal, if any.
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
        // The old run is returned from the closure, so it is released outside the lock.
        let (run, isFirst, _) = current.withLock {
            current -> (ShareRun<Value, Failure>, Bool, ShareRun<Value, Failure>?) in
            if let current, current.observers.join() { return (current, false, nil) }
            let old = current
            current = fresh
            return (fresh, true, old)
        }
        let observers = run.observers
        if policy == nil { subscription.passPauses(to: observers.subscription, .asItIs) }
        run.broadcast.value.add(sink, subscription, policy ?? .unbounded)
        // Captures the observers, not the run: a subscription must not retain the broadcast, which retains its
        // subscribers.
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

/// One run of a shared signal's source, until it terminates or its last observer leaves.
@usableFromInline
final class ShareRun<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let broadcast = UnsafeTransfer(Broadcast<Value, Failure>())
    @usableFromInline
    let observers = ShareObservers()

    @inlinable
    init() {}
}

/// The number of a run's observers, and the subscription to the source, which the last observer disposes.
@usableFromInline
final class ShareObservers: Sendable {
    @usableFromInline
    let subscription = SignalSubscription()
    /// The number of observers. At zero the run is finished, and the number stays zero.
    @usableFromInline
    let count = Lock(1)

    @inlinable
    init() {}

    /// Counts one more observer. Returns false if the run is finished.
    @inlinable
    func join() -> Bool {
        count.withLock { count in
            if count > 0 { count += 1 }
            return count > 0
        }
    }

    /// Counts one observer less. The last one disposes the source.
    @inlinable
    func leave() {
        let isLast = count.withLock { count in
            count = max(0, count - 1)
            return count == 0
        }
        if isLast { subscription.dispose() }
    }

    /// Finishes the run after the source has terminated. The next subscriber starts a new run.
    @inlinable
    func finish() {
        count.withLock { $0 = 0 }
        subscription.dispose()
    }
}
