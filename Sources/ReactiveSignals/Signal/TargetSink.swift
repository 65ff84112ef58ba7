// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A consumer of a signal's events in another module, stored in a ``TargetSink``: one object instead of a sink, two
/// closures and their captures.
///
/// It enforces law 1 itself: it checks whether the subscription is disposed, and ends it on a termination.
@usableFromInline
package protocol SinkTarget<Value, Failure>: ~Copyable {
    associatedtype Value: Sendable
    associatedtype Failure: Error

    /// Receives a value. A closure that needs the target later captures `sink`, which stores the target.
    func receive(_ value: Value, _ sink: TargetSink<Self>)

    /// Receives the termination.
    func receive(termination: Termination<Failure>, _ sink: TargetSink<Self>)
}

/// A sink for the package's other modules, which cannot subclass ``Sink``.
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
