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

    /// What is left to do outside the lock.
    @usableFromInline
    enum Turn: Sendable {
        /// The claim is ours and nothing is queued: deliver directly.
        case deliver
        /// The claim is ours and what we have is in the queue.
        case drain
        /// Another thread delivers it.
        case leave
    }

    @usableFromInline
    let state: Lock<State>
    @usableFromInline
    let broadcast = Confined(Broadcast<Value, Never>())

    @inlinable
    init(_ value: Value) {
        state = Lock(State(value))
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
        // The old value is part of the result so that it is released outside the lock.
        let stored: (old: Value, turn: Turn)? = state.withLock { state in
            if let version, version != state.version { return nil }
            let old = state.value
            state.value = value
            state.version += 1
            return (old, takeTurn(.event(.value(value)), isQueuedAlways: false))
        }
        guard let stored else { return false }
        switch stored.turn {
        case .deliver:
            broadcast.value.deliver(value)
            broadcast.value.finish()
        case .drain: broadcast.value.drain()
        case .leave: break
        }
        return true
    }

    /// Sends the present value to `sink`, and each later one. A paused observer keeps the latest only.
    @inlinable
    func subscribe(_ sink: Sink<Value, Never>, _ subscription: SignalSubscription) {
        let subscriber = broadcast.value.prepare(sink, subscription, .dropOldest(1))
        let confined = Confined(subscriber)
        let turn = state.withLock { takeTurn(.add(confined, $0.value), isQueuedAlways: true) }
        if turn == .drain { broadcast.value.drain() }
        broadcast.value.didAdd(subscriber.number, subscription)
    }

    /// Ends the signal; the value stays.
    @inlinable
    func end() { broadcast.value.send(termination: .completed) }

    @inlinable
    func takeTurn(_ command: Broadcast<Value, Never>.Command, isQueuedAlways: Bool) -> Turn {
        if !isQueuedAlways, broadcast.value.claim.take() { return .deliver }
        broadcast.value.queue(command)
        return broadcast.value.claim.announce() ? .drain : .leave
    }
}
