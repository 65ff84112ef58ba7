// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Shares one subscription to this signal between all subscribers. The result is hot while it has subscribers
    /// ([law 10](doc:LawsOfSignals)).
    ///
    /// The first subscription starts the source. When the last subscription is disposed, the source is disposed. The
    /// next subscriber starts the source again, even if it has terminated. The first subscriber receives all values,
    /// even those sent during `subscribe`. Later ones receive only later values. All receive the values in the same
    /// order.
    ///
    /// Each subscription waits separately during a pause. So if a subscriber merges two of them again, and another thread
    /// pauses and resumes it, the values of one may overtake those of the other.
    ///
    /// Runs of the source do not overlap, teardowns included. If a subscriber arrives while the previous run is being
    /// torn down or started, the source starts when that call has returned, on that call's thread.
    ///
    /// - Parameter policy: How to buffer values for a paused subscriber. Without a policy, the source is paused while
    ///   any subscriber is paused.
    @inlinable
    public func share(whilePaused policy: BufferPolicy? = nil) -> Signal {
        let share = Share(self, policy, replay: 0)
        return Signal(start: { sink, subscription in share.subscribe(sink, subscription) })
    }

    /// Shares one subscription to this signal between all subscribers, and replays its last `count` values to later
    /// ones.
    ///
    /// The first subscriber starts the source. A later one receives the stored values, then the new ones. It receives
    /// the stored values before `subscribe` returns, unless another delivery is under way. All receive the values in
    /// the same order. `scope` decides when the source is disposed and when the stored values are dropped: see
    /// ``ShareScope``.
    ///
    /// - Parameters:
    ///   - count: How many values to store. Zero or less stores none, `.max` all.
    ///   - scope: How long the values are stored. The default drops them with the last subscriber.
    ///   - policy: How to buffer values for a paused subscriber. Without a policy, the source is paused while any
    ///     subscriber is paused. In the scope `.forever` no subscriber pauses the source, and `nil` means `.unbounded`.
    @inlinable
    public func share(
        replay count: Int,
        scope: ShareScope = .whileConnected,
        whilePaused policy: BufferPolicy? = nil
    ) -> Signal {
        switch scope {
        case .whileConnected:
            let share = Share(self, policy, replay: max(0, count))
            return Signal(start: { sink, subscription in share.subscribe(sink, subscription) })
        case .forever: return replayLazily(upTo: count, whilePaused: policy ?? .unbounded)
        }
    }
}

/// How long ``Signal/share(replay:scope:whilePaused:)`` stores values.
public enum ShareScope: Sendable, Hashable {
    /// While there are subscribers.
    ///
    /// The last subscriber to be disposed disposes the source and drops the values. The next one starts the source
    /// again, even after the source has terminated, and receives only new values. RxSwift's scope of that name is the
    /// same.
    case whileConnected
    /// While a copy of the shared signal or a subscription exists.
    ///
    /// The source is started once and continues without subscribers. After it has terminated, later subscribers receive
    /// the values and the termination. ``Signal/replayLazily(upTo:whilePaused:)`` is the same. In RxSwift this scope
    /// stops the source with the last subscriber.
    case forever
}

/// The current run of a shared signal, if any.
@usableFromInline
final class Share<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let source: Signal<Value, Failure>
    @usableFromInline
    let policy: BufferPolicy?
    /// How many values a run replays.
    @usableFromInline
    let replay: Int
    @usableFromInline
    let current = Lock<ShareRun<Value, Failure>?>(nil)
    /// Starts a run when the previous ones have been started and torn down.
    @usableFromInline
    let runs = ExclusiveRuns()

    @inlinable
    init(_ source: Signal<Value, Failure>, _ policy: BufferPolicy?, replay: Int) {
        self.source = source
        self.policy = policy
        self.replay = replay
    }

    @inlinable
    func subscribe(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription) {
        let (source, runs) = (source, runs)
        let fresh = ShareRun<Value, Failure>(replay > 0 ? ReplayCore(replay, policy ?? .unbounded) : nil, runs)
        // The old run and the old job are returned from the closure, so they are released outside the lock.
        let (run, isFirst, _, _) = current.withLock {
            current -> (ShareRun<Value, Failure>, Bool, ShareRun<Value, Failure>?, ExclusiveRuns.Job?) in
            if let current, current.observers.join() { return (current, false, nil, nil) }
            let old = current
            current = fresh
            // Under the lock, so that a newer run is never replaced by an older one.
            let oldJob = runs.enter(before: {
                if !fresh.observers.subscription.isDisposed { fresh.start(source, subscription) }
            })
            return (fresh, true, old, oldJob)
        }
        let observers = run.observers
        if policy == nil { subscription.passPauses(to: observers.subscription, .asItIs, resumesLast: true) }
        if let replay = run.replay {
            replay.subscribe(sink, subscription)
        } else {
            run.broadcast.value.add(sink, subscription, policy ?? .unbounded)
        }
        // Captures `observers` (the counter) and not `run`: run → broadcast → subscriber → subscription would be a
        // cycle.
        subscription.onDispose { observers.leave() }
        guard isFirst else { return }
        observers.subscription.onDispose { [weak self, weak run] in if let run { self?.drop(run) } }
        runs.leave()
    }

    /// Releases a run that has finished, and so its stored values. Subscribers that have joined it still receive them.
    @inlinable
    func drop(_ run: ShareRun<Value, Failure>) {
        // Returned from the closure, so the run is released outside the lock.
        _ = current.withLock { current -> ShareRun<Value, Failure>? in current === run ? current.take() : nil }
    }
}

/// One run of a shared signal's source, until it terminates or its last observer leaves.
@usableFromInline
final class ShareRun<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let broadcast: UnsafeTransfer<Broadcast<Value, Failure>>
    /// The stored values, if the run replays any. It sends through `broadcast`.
    @usableFromInline
    let replay: ReplayCore<Value, Failure>?
    @usableFromInline
    let observers: ShareObservers

    @inlinable
    init(_ replay: ReplayCore<Value, Failure>?, _ runs: ExclusiveRuns) {
        self.replay = replay
        observers = ShareObservers(runs)
        broadcast = replay?.broadcast ?? UnsafeTransfer(Broadcast())
    }

    /// Starts the source for the subscription that has begun this run.
    @inlinable
    func start(_ source: Signal<Value, Failure>, _ subscription: SignalSubscription) {
        subscription.restoring {
            source.start(makeSink(), observers.subscription.carryingContext(of: subscription))
        }
    }

    /// Creates the sink that receives the source's events.
    @inlinable
    func makeSink() -> RelaySink<Value, Failure> {
        let (broadcast, replay, observers) = (broadcast, replay, observers)
        let ended: (Termination<Failure>) -> Void = { termination in
            observers.finish()
            guard let replay else { return broadcast.value.send(termination: termination) }
            replay.send(termination: termination)
        }
        guard let replay else { return RelaySink({ broadcast.value.send($0) }, ended) }
        return RelaySink({ replay.send($0) }, ended)
    }
}

/// The number of a run's observers, and the subscription to the source, which the last observer disposes.
@usableFromInline
final class ShareObservers: Sendable {
    @usableFromInline
    let subscription = SignalSubscription(isShared: true)
    private let runs: ExclusiveRuns
    /// The number of observers. At zero the run is finished, and the number stays zero.
    private let count = Lock(1)

    /// Creates the counter of a run with one observer.
    @usableFromInline
    init(_ runs: ExclusiveRuns) { self.runs = runs }

    /// Counts one more observer. Returns false if the run is finished.
    @usableFromInline
    func join() -> Bool {
        count.withLock { count in
            if count > 0 { count += 1 }
            return count > 0
        }
    }

    /// Counts one observer less. The last one disposes the source.
    @usableFromInline
    func leave() { end { $0 - 1 } }

    /// Finishes the run after the source has terminated. The next subscriber starts a new run.
    @usableFromInline
    func finish() { end { _ in 0 } }

    private func end(_ remaining: (Int) -> Int) {
        let isLast = count.withLock { count in
            if count == 0 { return false }
            count = remaining(count)
            // Under the lock, so that a subscriber that finds the run finished waits for its teardowns.
            if count == 0 { runs.enter() }
            return count == 0
        }
        guard isLast else { return }
        subscription.dispose()
        subscription.whenTornDown { [runs] in runs.leave() }
    }
}
