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

    /// Adds a value, and gives back the one that had to go for it, to be released outside any lock.
    @inlinable
    mutating func append(_ value: Value, _ policy: BufferPolicy) -> Event<Value, Failure>? {
        if hasEnd { return .value(value) }
        var dropped: Event<Value, Failure>?
        if events.count >= policy.limit {
            if policy.full == .dropNewest || policy.limit == 0 { return .value(value) }
            dropped = events.popFirst()
        }
        events.append(.value(value))
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
