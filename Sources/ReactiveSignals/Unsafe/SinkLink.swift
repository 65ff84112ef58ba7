/// A sink that is let go of at the end, and can be sent to without a retain and a release for each value.
///
/// Why it is right: the link owns one count from `init` to `take` or `release`. All of these and `receive` are called by
/// the holder of one claim, never one inside the other, so the sink cannot go away while it receives. Its owner calls
/// `release` when it is itself released.
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
