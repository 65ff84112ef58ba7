public import ReactiveCore
public import ReactiveSupport

/// Events that wait, oldest first; the end is the last one, and is never dropped.
///
/// Values wait while the subscription is paused, and the end waits behind them. Only a failure does not wait where operators alone
/// are pausing (laws 9 and 11).
@usableFromInline
struct Backlog<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    var events = FIFO<Event<Value, Failure>>()
    /// The end that has come, also when it has been taken out.
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

    /// Takes out the first event if it is a value.
    @inlinable
    mutating func popValue() -> Value? {
        guard case .value(let value) = events.first else { return nil }
        _ = events.popFirst()
        return value
    }

    /// Adds a value, unless the end has come.
    @inlinable
    mutating func append(_ value: Value) {
        if end == .none { events.append(.value(value)) }
    }

    /// Takes out the values that `policy` does not keep, to be released outside any lock; to be called during a pause.
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

    /// Adds the end; the second one is dropped.
    @inlinable
    mutating func append(termination: Termination<Failure>) {
        guard end == .none else { return }
        if case .failed = termination { end = .failure } else { end = .completion }
        events.append(.ended(termination))
    }

    /// The next event, if there is one and it may be delivered: values wait while `isPaused`, the end waits for values only.
    @inlinable
    mutating func next(isPaused: Bool) -> Event<Value, Failure>? {
        if isPaused, case .value = events.first { return nil }
        return events.popFirst()
    }

    /// Whether a failure waits behind values.
    @inlinable
    var holdsFailure: Bool { end == .failure && !events.isEmpty }

    /// Takes out the failure and the values that it overtakes, which are to be released outside any lock.
    @inlinable
    mutating func takeFailure() -> (failure: Event<Value, Failure>?, overtaken: [Event<Value, Failure>]) {
        guard holdsFailure else { return (nil, []) }
        let failure = events.popLast()
        return (failure, events.takeAll())
    }

    /// Takes out everything, to be released outside any lock.
    @inlinable
    mutating func takeAll() -> [Event<Value, Failure>] { events.takeAll() }

    /// The same, and accepts no more.
    @inlinable
    mutating func close() -> [Event<Value, Failure>] {
        if end == .none { end = .completion }
        return events.takeAll()
    }
}
