/// A sink that is let go of at the end, and can be sent to without a retain and a release for each value.
///
/// Why it is right: the link owns one count from `init` to `take`. `take` and `receive` are called by the holder of one claim,
/// so never by two threads at once. A `take` inside `receive` does not happen: the holder takes when `receive` has returned.
/// So the sink cannot go away while it receives. Its owner calls `take` when it is itself released, which nobody sends to
/// any more; a second `take` gives nothing.
@usableFromInline
struct SinkLink<Value: Sendable, Failure: Error> {
    @usableFromInline
    var reference: Unmanaged<Sink<Value, Failure>>?

    @inlinable
    init(_ sink: Sink<Value, Failure>) {
        reference = .passRetained(sink)
    }

    @inlinable
    @inline(__always)
    func receive(_ value: Value) {
        reference?._withUnsafeGuaranteedRef { $0.receive(value) }
    }

    /// The sink, which the caller owns from now on.
    @inlinable
    mutating func take() -> Sink<Value, Failure>? {
        let sink = reference?.takeRetainedValue()
        reference = nil
        return sink
    }
}
