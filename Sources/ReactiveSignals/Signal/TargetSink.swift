public import ReactiveCore

/// What another module makes of a signal's events, kept inside of a ``TargetSink``: one object instead of a sink, two closures and
/// what these have captured.
///
/// It holds to law 1 by itself: it looks whether the subscription is over, and ends it when a termination comes.
@usableFromInline
package protocol SinkTarget<Value, Failure>: ~Copyable {
    associatedtype Value: Sendable
    associatedtype Failure: Error

    /// Takes a value. `sink` is what holds this, for a closure that is to find it again.
    func receive(_ value: Value, _ sink: TargetSink<Self>)

    /// Takes the end.
    func receive(termination: Termination<Failure>, _ sink: TargetSink<Self>)
}

/// A sink for the package's other modules, which cannot make a class of their own of ``Sink``.
@usableFromInline
package final class TargetSink<Target: SinkTarget & ~Copyable>: Sink<Target.Value, Target.Failure> {
    package let target: Target

    package init(_ target: consuming Target) {
        self.target = target
        super.init()
    }

    package override func receive(_ value: Target.Value) { target.receive(value, self) }

    package override func receive(termination: Termination<Target.Failure>) {
        target.receive(termination: termination, self)
    }
}
