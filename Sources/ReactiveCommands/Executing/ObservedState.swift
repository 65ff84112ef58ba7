// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The last value of one state that was sent to the command's observers. The property is created for the first
/// observer.
@usableFromInline
final class ObservedState: Sendable {
    private struct State: Sendable {
        var property: Property<Bool>?
        var hasEnded = false
    }

    private let state = Lock(State())

    @usableFromInline
    func report(_ value: Bool) { state.withLock { $0.property }?.value = value }

    /// Completes the property by releasing it, outside the lock.
    @usableFromInline
    func end() {
        _ = state.withLock { state -> State in
            let last = state
            state = State(property: nil, hasEnded: true)
            return last
        }
    }

    /// Starts to notify `sink`, which has already received `known`. `value` is the state when this observer was added
    /// to the queue of notices.
    func begin(_ value: Bool, known: Bool?, _ sink: Sink<Bool, Never>, _ subscription: SignalSubscription) {
        let property = state.withLock { state -> Property<Bool>? in
            if state.hasEnded { return nil }
            let property = state.property ?? Property(value)
            state.property = property
            return property
        }
        // The property is not updated while it has no observers.
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
