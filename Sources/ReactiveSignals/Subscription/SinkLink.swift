// SPDX-License-Identifier: MIT
/// A sink that its owner can release early. Passing it a value costs no retain and no release.
///
/// Safe: the link owns one reference count from `init` to `take` or `deinit`. The holder of one claim calls `take` and
/// `receive`, so two threads never call them at the same time. It calls `take` when `receive` has returned, so the sink
/// cannot be freed while it receives.
@safe
@usableFromInline
struct SinkLink<Value: Sendable, Failure: Error>: ~Copyable {
    @usableFromInline
    var reference: Unmanaged<Sink<Value, Failure>>?

    @inlinable
    init(_ sink: Sink<Value, Failure>) {
        unsafe reference = .passRetained(sink)
    }

    @inlinable
    deinit { unsafe reference?.release() }

    @inlinable
    @inline(__always)
    func receive(_ value: Value) {
        unsafe reference?._withUnsafeGuaranteedRef { $0.receive(value) }
    }

    /// The sink, which the caller owns from now on. A second call returns `nil`.
    @inlinable
    mutating func take() -> Sink<Value, Failure>? {
        let sink = unsafe reference?.takeRetainedValue()
        unsafe reference = nil
        return sink
    }
}
