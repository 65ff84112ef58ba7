public import ReactiveCore

extension Signal {
    /// Fails with what `transform` makes of the failure.
    @inlinable
    public func mapError<New: Error>(_ transform: @escaping @Sendable (Failure) -> New) -> Signal<Value, New> {
        Signal<Value, New>(start: { [start] sink, subscription in
            start(MapErrorSink(sink, transform), subscription)
        })
    }
}

extension Signal where Failure == Never {
    /// The same signal as one that might fail, to be joined with those that do.
    @inlinable
    public func setFailureType<New: Error>(to failure: New.Type) -> Signal<Value, New> {
        mapError(neverFails)
    }
}

/// What a failure that cannot be becomes: nothing, since it cannot be.
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
