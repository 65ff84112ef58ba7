// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension CommandCore {
    /// Returns a signal of the items that `subject` sends after the subscription. It skips those for which `transform`
    /// returns nil.
    func observing<Item: Sendable, New: Sendable>(
        _ count: any (WritableKeyPath<ObservedCounts, Int> & Sendable),
        _ subject: Subject<Item, Never>,
        _ transform: @escaping @Sendable (Item) -> New?
    ) -> Signal<New, Never> {
        Signal.starting { [self] sink, subscription in
            let sink = UnsafeTransfer(sink)
            arrive(count, in: subscription) { _ in
                subject.signal.relay(
                    in: subscription,
                    { item in if let new = transform(item) { sink.value.receive(new) } },
                    { sink.value.receive(termination: $0) }
                )
            }
        }
    }

    /// Returns a property of a state. A read returns the current state. Observers receive changes in the order of
    /// notices.
    func property(
        _ observed: ObservedState,
        _ value: @escaping @Sendable (_ isExecuting: Bool, _ isEnabled: Bool) -> Bool
    ) -> ReadOnlyProperty<Bool> {
        let read: @Sendable () -> Bool = { [self] in
            state.withLock { [strategy] state in value(state.isExecuting(), state.isEnabled(strategy)) }
        }
        return ReadOnlyProperty(
            read,
            Signal.starting { [self] sink, subscription in
                guard !subscription.isDisposed else { return }
                // Sent immediately on this thread, even if later values are delivered on a scheduler. A paused observer
                // receives the latest value after its pause.
                let known = subscription.acceptsValues ? read() : nil
                if let known { sink.receive(known) }
                guard !subscription.isDisposed else { return }
                let sink = UnsafeTransfer(subscription.restoring(sink))
                arrive(\.states, in: subscription) { now in
                    observed.begin(value(now.isExecuting, now.isEnabled), known: known, sink.value, subscription)
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
            // Changes of the states are not recorded while no property has an observer, so `reported` is out of date.
            if state.observed.states == 0 { state.reported = (state.isExecuting(), state.isEnabled(strategy)) }
            state.observed[keyPath: count] += 1
            let now = state.reported
            state.notices.append(.arrival { if !subscription.isDisposed { arrive(now) } })
        }
        subscription.onDispose { [weak self] in
            self?.state.withLock { state in
                state.observers -= 1
                state.observed[keyPath: count] -= 1
            }
        }
        notifyObservers()
    }
}
