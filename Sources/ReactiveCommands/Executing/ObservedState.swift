import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// A state as a command's observers have been told it; made when the first one comes.
@usableFromInline
final class ObservedState: Sendable {
    private struct State: Sendable {
        var property: Property<Bool>?
        var hasEnded = false
    }

    private let state = Lock(State())

    @usableFromInline
    func report(_ value: Bool) { state.withLock { $0.property }?.value = value }

    /// Completes it: a property does when it is let go of, which happens outside the lock.
    @usableFromInline
    func end() {
        _ = state.withLock { state -> State in
            let last = state
            state = State(property: nil, hasEnded: true)
            return last
        }
    }

    /// Begins to tell `sink`, which knows `known` already; `value` is what holds at this place in the order of notices.
    func begin(_ value: Bool, known: Bool?, _ sink: Sink<Bool, Never>, _ subscription: SignalSubscription) {
        let property = state.withLock { state -> Property<Bool>? in
            if state.hasEnded { return nil }
            let property = state.property ?? Property(value)
            state.property = property
            return property
        }
        // It was told nothing while nobody observed it.
        if let property, property.value != value { property.value = value }
        // Calls do not overlap (law 2).
        var last = known
        (property?.signal ?? .just(value)).relay(
            in: subscription,
            { value in
                if last == value { return }
                last = value
                sink.receive(value)
            },
            { sink.receive(termination: $0) }
        )
    }
}
