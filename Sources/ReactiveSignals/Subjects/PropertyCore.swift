// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// The value and the observers of a property, which `Property` and its read-only views share.
///
/// One lock covers both storing a value and fixing its position in the order of deliveries. So values are delivered in
/// the order of the assignments, and the last one delivered is the stored one (law 4). Deliveries happen outside the
/// lock.
@usableFromInline
final class PropertyCore<Value: Sendable>: Sendable {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline
        var value: Value
        @usableFromInline
        var version = 0

        @inlinable
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline
    let state: Lock<State>
    @usableFromInline
    let broadcast: UnsafeTransfer<Broadcast<Value, Never>>

    /// Creates a core. Up to `limit` values wait during a delivery. Beyond the limit the oldest are dropped, never the
    /// latest. Less than one counts as one.
    @inlinable
    init(_ value: Value, limit: Int = .max) {
        state = Lock(State(value))
        broadcast = UnsafeTransfer(Broadcast(whileDelivering: limit == .max ? .unbounded : .dropOldest(max(1, limit))))
    }

    @inlinable
    var value: Value { state.withLock { $0.value } }

    /// The value, and the version to pass to ``set(_:ifStill:)`` in order to replace only this value.
    @inlinable
    var versioned: (value: Value, version: Int) { state.withLock { ($0.value, $0.version) } }

    /// Stores and sends `value`. If `version` is given and the value has been replaced since, it does nothing and
    /// returns false.
    @inlinable
    @discardableResult
    func set(_ value: Value, ifStill version: Int? = nil) -> Bool {
        typealias Stored = (old: Value, slot: Broadcast<Value, Never>.Slot, dropped: Value?)
        // Returned from the closure, so the old value and the dropped one are released outside the lock.
        let stored = state.withLock { state -> Stored? in
            if let version, version != state.version { return nil }
            let old = state.value
            state.value = value
            state.version += 1
            let (slot, dropped) = broadcast.value.slot(for: value)
            return (old, slot, dropped)
        }
        guard let stored else { return false }
        broadcast.value.take(stored.slot, value)
        return true
    }

    /// Sends the current value to `sink`, and each later one. For a paused observer, only the latest value is kept.
    @inlinable
    func subscribe(_ sink: Sink<Value, Never>, _ subscription: SignalSubscription) {
        let subscriber = broadcast.value.prepare(sink, subscription, .dropOldest(1))
        let confined = UnsafeTransfer(subscriber)
        let slot = state.withLock { broadcast.value.slot(for: .add(confined, [$0.value])) }
        if slot == .drain { broadcast.value.drain() }
        broadcast.value.didAdd(subscriber, subscription)
    }

    /// Completes the signal. The value can still be read.
    @inlinable
    func end() { broadcast.value.send(termination: .completed) }
}
