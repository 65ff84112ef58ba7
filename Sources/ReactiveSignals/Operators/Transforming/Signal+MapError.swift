// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Replaces a failure with the result of `transform`, which is called at most once. Values and completion pass
    /// unchanged.
    @inlinable
    public func mapError<New: Error>(_ transform: @escaping @Sendable (Failure) -> New) -> Signal<Value, New> {
        Signal<Value, New>(start: { [start] sink, subscription in
            start(MapErrorSink(sink, transform), subscription)
        })
    }
}

extension Signal where Failure == Never {
    /// Returns the same signal with another failure type, to combine it with signals that can fail.
    ///
    /// Operators with a second signal convert the failure type themselves. Functions of any number of signals, such as
    /// `combineLatest(_:)`, do not. If only the inner signals can fail, ``flatMap(_:_:)`` does not convert it either.
    @inlinable
    public func setFailureType<New: Error>(to failure: New.Type) -> Signal<Value, New> {
        guard let scalar else { return mapError(neverFails) }
        // Stays a scalar, so `flatMap` needs no subscription for it.
        switch scalar.event {
        case .value(let value): return Signal<Value, New>(just: value)
        case .ended: return .empty
        }
    }
}

/// Converts a failure that cannot occur.
@usableFromInline
func neverFails<New: Error>(_ failure: Never) -> New {}

@usableFromInline
final class MapErrorSink<Value: Sendable, Failure: Error, New: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<Value, New>
    @usableFromInline
    let transform: @Sendable (Failure) -> New

    @inlinable
    init(_ next: Sink<Value, New>, _ transform: @escaping @Sendable (Failure) -> New) {
        self.next = next
        self.transform = transform
    }

    @inlinable
    override func receive(_ value: Value) { next.receive(value) }

    @inlinable
    override func receive(termination: Termination<Failure>) {
        switch termination {
        case .completed: next.receive(termination: .completed)
        case .failed(let failure): next.receive(termination: .failed(transform(failure)))
        }
    }
}
