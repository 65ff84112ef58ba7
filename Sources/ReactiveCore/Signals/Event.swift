/// One thing that happens on a signal, as a value: for recording, comparing and passing on.
public enum Event<Value: Sendable, Failure: Error>: Sendable {
    /// The next value.
    case value(Value)
    /// The end; nothing follows.
    case ended(Termination<Failure>)
}

extension Event: Equatable where Value: Equatable, Failure: Equatable {}
