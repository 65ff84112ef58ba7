// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A sink that calls closures, for operators that run more than a few instructions for each value.
///
/// The compiler never specialises the methods of a generic class that are called through its superclass. In such a
/// method, each use of another generic type is looked up at run time. A closure is specialised for the types that are
/// known where it is created: in the subscriber's module.
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
