// SPDX-License-Identifier: MIT
// Overloads for a signal that cannot fail and a second one that can. The first one adopts the failure type of the
// second. See Signal+PromotedOther.swift.
@_documentation(visibility: internal)
extension Signal where Failure == Never {
    /// Returns the same signal with another failure type. All overloads of this kind use it.
    @inlinable
    func promoted<New: Error>(to failure: New.Type = New.self) -> Signal<Value, New> { setFailureType(to: failure) }

    /// Merges with a signal that can fail.
    @_disfavoredOverload
    @inlinable
    public func merge<New: Error>(with other: Signal<Value, New>) -> Signal<Value, New> {
        promoted().merge(with: other)
    }

    /// Combines the latest values with those of a signal that can fail.
    @_disfavoredOverload
    @inlinable
    public func combineLatest<Other: Sendable, New: Error>(
        with other: Signal<Other, New>
    ) -> Signal<(Value, Other), New> {
        promoted().combineLatest(with: other)
    }

    /// Pairs the values with those of a signal that can fail.
    @_disfavoredOverload
    @inlinable
    public func zip<Other: Sendable, New: Error>(with other: Signal<Other, New>) -> Signal<(Value, Other), New> {
        promoted().zip(with: other)
    }

    /// Continues with a signal that can fail.
    @_disfavoredOverload
    @inlinable
    public func concat<New: Error>(_ next: Signal<Value, New>) -> Signal<Value, New> { promoted().concat(next) }

    /// Begins with a signal that can fail.
    @_disfavoredOverload
    @inlinable
    public func prefix<New: Error>(_ first: Signal<Value, New>) -> Signal<Value, New> { promoted().prefix(first) }

    /// Replaces the values with a signal that can fail.
    @_disfavoredOverload
    @inlinable
    public func then<Other: Sendable, New: Error>(_ replacement: Signal<Other, New>) -> Signal<Other, New> {
        promoted().then(replacement)
    }

    /// Sends each value with the latest one of a signal that can fail.
    @_disfavoredOverload
    @inlinable
    public func withLatest<Other: Sendable, New: Error>(from other: Signal<Other, New>) -> Signal<(Value, Other), New> {
        promoted().withLatest(from: other)
    }

    /// Samples with a trigger that can fail.
    @_disfavoredOverload
    @inlinable
    public func sample<Trigger: Sendable, New: Error>(
        with trigger: Signal<Trigger, New>
    ) -> Signal<(Value, Trigger), New> {
        promoted().sample(with: trigger)
    }

    /// Samples at each value of a trigger that can fail.
    @_disfavoredOverload
    @inlinable
    public func sample<Trigger: Sendable, New: Error>(on trigger: Signal<Trigger, New>) -> Signal<Value, New> {
        promoted().sample(on: trigger)
    }

    /// Completes at a trigger, or fails with it.
    @_disfavoredOverload
    @inlinable
    public func take<Trigger: Sendable, New: Error>(until trigger: Signal<Trigger, New>) -> Signal<Value, New> {
        promoted().take(until: trigger)
    }

    /// Switches to a replacement that can fail.
    @_disfavoredOverload
    @inlinable
    public func take<New: Error>(untilReplacement replacement: Signal<Value, New>) -> Signal<Value, New> {
        promoted().take(untilReplacement: replacement)
    }

    /// Begins at a trigger, or fails with it.
    @_disfavoredOverload
    @inlinable
    public func skip<Trigger: Sendable, New: Error>(until trigger: Signal<Trigger, New>) -> Signal<Value, New> {
        promoted().skip(until: trigger)
    }

    /// Completes windows at the values of a boundary, or fails with it.
    @_disfavoredOverload
    @inlinable
    public func window<Boundary: Sendable, New: Error>(
        boundary: Signal<Boundary, New>,
        whilePaused policy: BufferPolicy = .unbounded
    ) -> Signal<Signal<Value, New>, New> {
        promoted().window(boundary: boundary, whilePaused: policy)
    }

    /// Does not compile: inner signals that can fail need ``setFailureType(to:)`` before `flatMap`.
    // With a working overload, the failure type of a chain would be open until its closures are checked, and the
    // compiler would check them once for each combination of the later overloads (Decision 0035).
    @available(
        *,
        unavailable,
        message: "this signal cannot fail and the inner signals can: use setFailureType(to:) before flatMap"
    )
    public func flatMap<Other: Sendable, New: Error>(
        _ strategy: FlattenStrategy = .merge,
        _ transform: @escaping @Sendable (Value) -> Signal<Other, New>
    ) -> Signal<Other, New> {
        fatalError()
    }

    /// Flattens signals that can fail.
    @_disfavoredOverload
    @inlinable
    public func flatten<Other: Sendable, New: Error>(_ strategy: FlattenStrategy = .merge) -> Signal<Other, New>
    where Value == Signal<Other, New> {
        promoted(to: New.self).flatMap(strategy) { $0 }
    }
}

@_documentation(visibility: internal)
extension Signal where Value == Bool, Failure == Never {
    /// Combines with a signal that can fail.
    @_disfavoredOverload
    @inlinable
    public func and<New: Error>(_ other: Signal<Bool, New>) -> Signal<Bool, New> { promoted().and(other) }

    /// Combines with a signal that can fail.
    @_disfavoredOverload
    @inlinable
    public func or<New: Error>(_ other: Signal<Bool, New>) -> Signal<Bool, New> { promoted().or(other) }
}
