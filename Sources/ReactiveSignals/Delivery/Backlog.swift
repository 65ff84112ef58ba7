public import ReactiveCore
public import ReactiveSupport

/// Events that wait, oldest first; the end is the last one, and is never dropped.
@usableFromInline
struct Backlog<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    var events = FIFO<Event<Value, Failure>>()
    @usableFromInline
    var hasEnd = false

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { events.isEmpty }

    @inlinable
    var count: Int { events.count }

    /// Adds a value, unless the end has come.
    @inlinable
    mutating func append(_ value: Value) {
        if !hasEnd { events.append(.value(value)) }
    }

    /// Takes out the values that `policy` does not keep, to be released outside any lock; to be called during a pause.
    @inlinable
    mutating func trim(_ policy: BufferPolicy) -> [Event<Value, Failure>] {
        var excess = events.count - policy.limit - (hasEnd ? 1 : 0)
        guard excess > 0 else { return [] }
        var dropped: [Event<Value, Failure>] = []
        let end = hasEnd && policy.full == .dropNewest ? events.popLast() : nil
        while excess > 0, let event = policy.full == .dropNewest ? events.popLast() : events.popFirst() {
            dropped.append(event)
            excess -= 1
        }
        if let end { events.append(end) }
        return dropped
    }

    /// Adds the end; the second one is dropped.
    @inlinable
    mutating func append(termination: Termination<Failure>) {
        if hasEnd { return }
        hasEnd = true
        events.append(.ended(termination))
    }

    /// The next event, if there is one and it may be delivered: values wait while `isPaused`, the end waits for values only.
    @inlinable
    mutating func next(isPaused: Bool) -> Event<Value, Failure>? {
        if isPaused, case .value = events.first { return nil }
        return events.popFirst()
    }

    @inlinable
    mutating func takeAll() -> [Event<Value, Failure>] { events.takeAll() }
}
