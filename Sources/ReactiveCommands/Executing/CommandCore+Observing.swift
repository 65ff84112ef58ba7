// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension CommandCore {
    /// Makes a signal of the items that `subject` sends after the subscription, if `transform` does not return nil for
    /// them.
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

    /// Makes a property of a state. A read returns the present state. Observers are notified in the order of notices.
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
                // Sent at once, wherever later values are delivered. A paused observer receives the latest one after
                // its pause.
                let known = subscription.acceptsValues ? read() : nil
                if let known { sink.receive(known) }
                guard !subscription.isDisposed else { return }
                let sink = UnsafeTransfer(sink)
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
            // Notices of states are not recorded without observers.
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
