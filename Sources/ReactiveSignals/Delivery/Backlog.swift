// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// Events that are kept while a subscription is paused, oldest first. The termination is the last one, and no policy
/// drops it.
///
/// Values wait while the subscription is paused, and the termination waits behind them. A failure does not wait while
/// only operators pause (laws 9 and 11).
@usableFromInline
struct Backlog<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    var events = FIFO<Event<Value, Failure>>()
    /// The kind of the termination, if one was received. It stays set when the termination has been removed.
    @usableFromInline
    var end = End.none

    @usableFromInline
    enum End: Sendable {
        case none, completion, failure
    }

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { events.isEmpty }

    @inlinable
    var count: Int { events.count }

    /// Removes and returns the first event if it is a value.
    @inlinable
    mutating func popValue() -> Value? {
        guard case .value(let value) = events.first else { return nil }
        _ = events.popFirst()
        return value
    }

    /// Adds a value. Does nothing after a termination.
    @inlinable
    mutating func append(_ value: Value) {
        if end == .none { events.append(.value(value)) }
    }

    /// Removes and returns the values that `policy` does not keep. Call it during a pause, and release the result
    /// outside any lock.
    @inlinable
    mutating func trim(_ policy: BufferPolicy) -> [Event<Value, Failure>] {
        var excess = events.count - policy.limit - (end == .none ? 0 : 1)
        guard excess > 0 else { return [] }
        var dropped: [Event<Value, Failure>] = []
        let last = end != .none && policy.full == .dropNewest ? events.popLast() : nil
        while excess > 0, let event = policy.full == .dropNewest ? events.popLast() : events.popFirst() {
            dropped.append(event)
            excess -= 1
        }
        if let last { events.append(last) }
        return dropped
    }

    /// Adds the termination. A second one is dropped.
    @inlinable
    mutating func append(termination: Termination<Failure>) {
        guard end == .none else { return }
        if case .failed = termination { end = .failure } else { end = .completion }
        events.append(.ended(termination))
    }

    /// Removes and returns the next event that may be delivered. While `isPaused`, values wait, and a termination waits
    /// only behind values.
    @inlinable
    mutating func next(isPaused: Bool) -> Event<Value, Failure>? {
        if isPaused, case .value = events.first { return nil }
        return events.popFirst()
    }

    /// Whether a failure waits behind values.
    @inlinable
    var holdsFailure: Bool { end == .failure && !events.isEmpty }

    /// Removes and returns the failure and the values that it overtakes. Release the values outside any lock.
    @inlinable
    mutating func takeFailure() -> (failure: Event<Value, Failure>?, overtaken: [Event<Value, Failure>]) {
        guard holdsFailure else { return (nil, []) }
        let failure = events.popLast()
        return (failure, events.takeAll())
    }

    /// Removes and returns all events. Release them outside any lock.
    @inlinable
    mutating func takeAll() -> [Event<Value, Failure>] { events.takeAll() }

    /// Removes and returns all events, and drops later ones.
    @inlinable
    mutating func close() -> [Event<Value, Failure>] {
        if end == .none { end = .completion }
        return events.takeAll()
    }
}
