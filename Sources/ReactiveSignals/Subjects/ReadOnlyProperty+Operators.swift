// SPDX-License-Identifier: MIT
extension ReadOnlyProperty {
    /// Returns a property with the transformed value.
    ///
    /// `transform` is called for each read, on the reading thread, and for each value sent to each observer. Calls may
    /// overlap.
    @inlinable
    public func map<New: Sendable>(_ transform: @escaping @Sendable (Value) -> New) -> ReadOnlyProperty<New> {
        ReadOnlyProperty<New>({ [read] in transform(read()) }, signal.map(transform))
    }

    /// Returns a property with the values of both properties. Its signal sends each time one of their signals sends.
    @inlinable
    public func combineLatest<Other: Sendable>(with other: ReadOnlyProperty<Other>) -> ReadOnlyProperty<(Value, Other)>
    {
        .combineLatest(self, other)
    }

    /// Returns a property with the values of all properties, as a tuple. Its signal sends each time one of their
    /// signals sends.
    ///
    /// If several are set one after the other, readers and observers see the intermediate values. A read reads the
    /// properties one after the other, not atomically.
    @inlinable
    public static func combineLatest<each Element: Sendable>(
        _ properties: repeat ReadOnlyProperty<each Element>
    ) -> ReadOnlyProperty where Value == (repeat each Element) {
        let all = PropertyTuple(repeat each properties)
        return ReadOnlyProperty({ all.values }, Signal.combineLatestAll(repeat (each properties).signal))
    }

    /// Returns a property with the values of `properties`, as an array in their order. Its signal sends each time one
    /// of their signals sends.
    ///
    /// If `properties` is empty, the value is an empty array, and the signal sends it and completes.
    @inlinable
    public static func combineLatest<Element: Sendable>(
        _ properties: [ReadOnlyProperty<Element>]
    ) -> ReadOnlyProperty where Value == [Element] {
        let changes = Signal.combineLatest(properties.map(\.signal))
        // Combining no signals would send no value, but a property always has one.
        return ReadOnlyProperty({ properties.map(\.value) }, properties.isEmpty ? .just([]) : changes)
    }

    /// Returns a property of pairs. Its signal pairs values by position: the first with the first, and so on. A read
    /// returns the current values.
    @inlinable
    public func zip<Other: Sendable>(with other: ReadOnlyProperty<Other>) -> ReadOnlyProperty<(Value, Other)> {
        ReadOnlyProperty<(Value, Other)>({ [read] in (read(), other.value) }, signal.zip(with: other.signal))
    }

    /// Returns the same property with a signal that drops each value for which `isRepeat` returns true. Its argument
    /// `last` is the value that was sent last.
    @inlinable
    public func skipRepeats(
        by isRepeat: @escaping @Sendable (_ last: Value, _ value: Value) -> Bool
    ) -> ReadOnlyProperty {
        ReadOnlyProperty(read, signal.skipRepeats(by: isRepeat))
    }

    /// Returns a property that reads through another one. Each read calls `transform` with the current value, and
    /// returns the value of the resulting property.
    ///
    /// `transform` is called for each read, on the reading thread, and for each value sent to each observer. Calls may
    /// overlap.
    @inlinable
    public func flatMap<New: Sendable>(
        _ transform: @escaping @Sendable (Value) -> ReadOnlyProperty<New>
    ) -> ReadOnlyProperty<New> {
        ReadOnlyProperty<New>({ [read] in transform(read()).value }, signal.flatMap(.latest) { transform($0).signal })
    }
}

extension ReadOnlyProperty where Value: Equatable {
    /// Returns the same property with a signal that drops each value that equals the value sent last.
    @inlinable
    public func skipRepeats() -> ReadOnlyProperty { skipRepeats(by: { $0 == $1 }) }
}

extension ReadOnlyProperty where Value == Bool {
    /// Returns a property with the negated value.
    @inlinable
    public func negate() -> ReadOnlyProperty { map { !$0 } }

    /// Returns a property that is true while both values are true.
    @inlinable
    public func and(_ other: ReadOnlyProperty) -> ReadOnlyProperty { combineLatest(with: other).map { $0 && $1 } }

    /// Returns a property that is true while at least one of the two values is true.
    @inlinable
    public func or(_ other: ReadOnlyProperty) -> ReadOnlyProperty { combineLatest(with: other).map { $0 || $1 } }
}

extension Property {
    /// Returns a property with the transformed value. See ``ReadOnlyProperty/map(_:)``.
    @inlinable
    public func map<New: Sendable>(_ transform: @escaping @Sendable (Value) -> New) -> ReadOnlyProperty<New> {
        readOnly.map(transform)
    }
}

/// Properties of several types.
@usableFromInline
struct PropertyTuple<each Element: Sendable>: Sendable {
    @usableFromInline
    let properties: (repeat ReadOnlyProperty<each Element>)

    @inlinable
    init(_ properties: repeat ReadOnlyProperty<each Element>) {
        self.properties = (repeat each properties)
    }

    @inlinable
    var values: (repeat each Element) { (repeat (each properties).value) }
}
