public import ReactiveCore

/// A sink that hands everything to closures; the way into an operator that does more than a few instructions for a value.
///
/// The methods of a generic class that are called through its superclass are never specialised: in them each mention of
/// another generic type is looked up at run time, some 30 ns a time. A closure made where the types are known is compiled
/// for them, in the module of whoever subscribes.
@usableFromInline
final class RelaySink<Value: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let onValue: (Value) -> Void
    @usableFromInline
    let onTermination: (Termination<Failure>) -> Void

    @inlinable
    init(_ onValue: @escaping (Value) -> Void, _ onTermination: @escaping (Termination<Failure>) -> Void) {
        self.onValue = onValue
        self.onTermination = onTermination
    }

    @inlinable
    override func receive(_ value: Value) { onValue(value) }

    @inlinable
    override func receive(termination: Termination<Failure>) { onTermination(termination) }
}
