import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension CommandCore {
    /// Tells what there is to tell, unless somebody is doing so: that one goes on then.
    @usableFromInline
    func tell() {
        guard claim.announce() else { return }
        switch delivery.kind {
        case .direct: drain()
        case .on(let scheduler): if scheduler.isCurrent { drain() } else { scheduler.execute { self.drain() } }
        case .onNextTurn(let scheduler): scheduler.execute { self.drainOnce(scheduler) }
        }
    }

    /// Writes a value down for those who observe it.
    func note(_ value: Output, of execution: Execution<Output, Failure>, _ intake: Intake?) {
        guard state.withLock({ $0.observers > 0 }) else { return }
        intake?.arrived()
        let isNoted = state.withLock { state in
            // It may have been broken off meanwhile, and nothing follows an end.
            guard state.underWay[ObjectIdentifier(execution)] != nil else { return false }
            let before = state.notices.count
            state.append(.value(value), execution.copy, intake)
            return state.notices.count > before
        }
        if isNoted { tell() } else { intake?.taken() }
    }

    /// Makes a signal of what `subject` sends to those who have come, as far as `transform` has something for it.
    func observing<Item: Sendable, New: Sendable>(
        _ count: any (WritableKeyPath<ObservedCounts, Int> & Sendable),
        _ subject: Subject<Item, Never>,
        _ transform: @escaping @Sendable (Item) -> New?
    ) -> Signal<New, Never> {
        Signal.starting { [self] sink, subscription in
            let sink = Confined(sink)
            arrive(count, in: subscription) { _ in
                subject.signal.relay(
                    in: subscription,
                    { item in if let new = transform(item) { sink.value.receive(new) } },
                    { sink.value.receive(termination: $0) }
                )
            }
        }
    }

    /// Makes a property of a state: reading gives what decides now, observers are told in the order of notices.
    func property(
        _ told: Told,
        _ value: @escaping @Sendable (_ isExecuting: Bool, _ isEnabled: Bool) -> Bool
    ) -> ReadOnlyProperty<Bool> {
        let read: @Sendable () -> Bool = { [self] in
            state.withLock { [strategy] state in value(state.isExecuting(), state.isEnabled(strategy)) }
        }
        return ReadOnlyProperty(
            read,
            Signal.starting { [self] sink, subscription in
                guard !subscription.isDisposed else { return }
                // At once, wherever the rest is told; a paused observer gets the latest when it goes on.
                let known = subscription.isOpen ? read() : nil
                if let known { sink.receive(known) }
                guard !subscription.isDisposed else { return }
                let sink = Confined(sink)
                arrive(\.states, in: subscription) { now in
                    told.begin(value(now.isExecuting, now.isEnabled), known: known, sink.value, subscription)
                }
            }
        )
    }

    private typealias States = (isExecuting: Bool, isEnabled: Bool)

    private func arrive(
        _ count: any (WritableKeyPath<ObservedCounts, Int> & Sendable),
        in subscription: SignalSubscription,
        _ arrive: @escaping @Sendable (States) -> Void
    ) {
        state.withLock { state in
            state.observers += 1
            // Nothing was written down while nobody observed.
            if state.observed.states == 0 { state.told = (state.isExecuting(), state.isEnabled(strategy)) }
            state.observed[keyPath: count] += 1
            let now = state.told
            state.notices.append(.arrival { if !subscription.isDisposed { arrive(now) } })
        }
        subscription.onDispose { [weak self] in
            self?.state.withLock { state in
                state.observers -= 1
                state.observed[keyPath: count] -= 1
            }
        }
        tell()
    }

    private func drain() {
        var seen = 1
        repeat {
            while let notice = state.withLock({ $0.notices.popFirst() }) { signals.perform(notice) }
        } while !claim.release(&seen)
    }

    /// Tells what there is; what comes of that is for the next turn.
    private func drainOnce(_ scheduler: any Scheduler, _ announced: Int = 1) {
        for notice in state.withLock({ $0.notices.takeAll() }) { signals.perform(notice) }
        var seen = announced
        if !claim.release(&seen) { scheduler.execute { [seen] in self.drainOnce(scheduler, seen) } }
    }
}
