// SPDX-License-Identifier: MIT
// Overloads for a second signal that cannot fail, which adopts the failure type of the first one. They are disfavored,
// so that the compiler tries them only if the failure types differ. They are hidden in the documentation, since the
// operators' own pages describe them. Decision 0035.
@_documentation(visibility: internal)
extension Signal {
    /// Merges with a signal that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func merge(with other: Signal<Value, Never>) -> Signal { merge(with: other.promoted()) }

    /// Merges a signal that cannot fail with one that can.
    @_disfavoredOverload
    @inlinable
    public static func merge(_ first: Signal<Value, Never>, _ second: Signal) -> Signal {
        merge([first.promoted(), second])
    }

    /// Merges a signal that can fail with one that cannot.
    @_disfavoredOverload
    @inlinable
    public static func merge(_ first: Signal, _ second: Signal<Value, Never>) -> Signal {
        merge([first, second.promoted()])
    }

    /// Combines the latest values with those of a signal that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func combineLatest<Other: Sendable>(with other: Signal<Other, Never>) -> Signal<(Value, Other), Failure> {
        combineLatest(with: other.promoted())
    }

    /// Pairs the values with those of a signal that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func zip<Other: Sendable>(with other: Signal<Other, Never>) -> Signal<(Value, Other), Failure> {
        zip(with: other.promoted())
    }

    /// Continues with a signal that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func concat(_ next: Signal<Value, Never>) -> Signal { concat(next.promoted()) }

    /// Begins with a signal that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func prefix(_ first: Signal<Value, Never>) -> Signal { prefix(first.promoted()) }

    /// Replaces the values with a signal that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func then<New: Sendable>(_ replacement: Signal<New, Never>) -> Signal<New, Failure> {
        then(replacement.promoted())
    }

    /// Sends each value with the latest one of a signal that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func withLatest<Other: Sendable>(from other: Signal<Other, Never>) -> Signal<(Value, Other), Failure> {
        withLatest(from: other.promoted())
    }

    /// Samples with a trigger that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func sample<Trigger: Sendable>(with trigger: Signal<Trigger, Never>) -> Signal<(Value, Trigger), Failure> {
        sample(with: trigger.promoted())
    }

    /// Samples at each value of a trigger that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func sample<Trigger: Sendable>(on trigger: Signal<Trigger, Never>) -> Signal {
        sample(on: trigger.promoted())
    }

    /// Completes at a trigger that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func take<Trigger: Sendable>(until trigger: Signal<Trigger, Never>) -> Signal {
        take(until: trigger.promoted())
    }

    /// Switches to a replacement that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func take(untilReplacement replacement: Signal<Value, Never>) -> Signal {
        take(untilReplacement: replacement.promoted())
    }

    /// Begins at a trigger that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func skip<Trigger: Sendable>(until trigger: Signal<Trigger, Never>) -> Signal {
        skip(until: trigger.promoted())
    }

    /// Completes windows at the values of a boundary that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func window<Boundary: Sendable>(
        boundary: Signal<Boundary, Never>,
        whilePaused policy: BufferPolicy = .unbounded
    ) -> Signal<Signal<Value, Failure>, Failure> {
        window(boundary: boundary.promoted(), whilePaused: policy)
    }

    /// Merges inner signals that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func flatMap<New: Sendable>(
        _ strategy: FlattenStrategy = .merge,
        _ transform: @escaping @Sendable (Value) -> Signal<New, Never>
    ) -> Signal<New, Failure> {
        flatMap(strategy) { transform($0).promoted(to: Failure.self) }
    }

    /// Flattens signals that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func flatten<New: Sendable>(_ strategy: FlattenStrategy = .merge) -> Signal<New, Failure>
    where Value == Signal<New, Never> {
        flatMap(strategy) { $0.promoted(to: Failure.self) }
    }
}

@_documentation(visibility: internal)
extension Signal where Value == Bool {
    /// Combines with a signal that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func and(_ other: Signal<Bool, Never>) -> Signal { and(other.promoted()) }

    /// Combines with a signal that cannot fail.
    @_disfavoredOverload
    @inlinable
    public func or(_ other: Signal<Bool, Never>) -> Signal { or(other.promoted()) }
}
