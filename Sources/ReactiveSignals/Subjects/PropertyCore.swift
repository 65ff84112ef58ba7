public import ReactiveCore
public import ReactiveSupport

/// A value and who observes it; `Property` and its read-only views share one.
///
/// A value is stored, and its place in the order of deliveries taken, under one lock: so the order of deliveries is that of
/// the assignments, and the last value delivered is the one that stays (law 4). Delivering is done outside.
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

    /// Up to `limit` values wait for a delivery that is under way; then the oldest are dropped, never the latest.
    @inlinable
    init(_ value: Value, limit: Int = .max) {
        state = Lock(State(value))
        broadcast = UnsafeTransfer(Broadcast(whileDelivering: limit == .max ? .unbounded : .dropOldest(max(1, limit))))
    }

    @inlinable
    var value: Value { state.withLock { $0.value } }

    /// The value, and what to give ``set(_:ifStill:)`` to replace just that one.
    @inlinable
    var versioned: (value: Value, version: Int) { state.withLock { ($0.value, $0.version) } }

    /// Stores and sends `value`, unless `version` is given and the value has been replaced since; true if it did.
    @inlinable
    @discardableResult
    func set(_ value: Value, ifStill version: Int? = nil) -> Bool {
        typealias Stored = (old: Value, turn: Broadcast<Value, Never>.Turn, dropped: Value?)
        // The old value, and the one dropped, are part of the result so that they are released outside the lock.
        let stored = state.withLock { state -> Stored? in
            if let version, version != state.version { return nil }
            let old = state.value
            state.value = value
            state.version += 1
            let (turn, dropped) = broadcast.value.turn(for: value)
            return (old, turn, dropped)
        }
        guard let stored else { return false }
        broadcast.value.take(stored.turn, value)
        return true
    }

    /// Sends the present value to `sink`, and each later one. A paused observer keeps the latest only.
    @inlinable
    func subscribe(_ sink: Sink<Value, Never>, _ subscription: SignalSubscription) {
        let subscriber = broadcast.value.prepare(sink, subscription, .dropOldest(1))
        let confined = UnsafeTransfer(subscriber)
        let turn = state.withLock { broadcast.value.turn(for: .add(confined, [$0.value])) }
        if turn == .drain { broadcast.value.drain() }
        broadcast.value.didAdd(subscriber, subscription)
    }

    /// Ends the signal; the value stays.
    @inlinable
    func end() { broadcast.value.send(termination: .completed) }
}
