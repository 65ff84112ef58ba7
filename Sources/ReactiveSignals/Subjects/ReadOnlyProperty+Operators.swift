extension ReadOnlyProperty {
    /// The property of what `transform` makes of the value; it is called for each reading and for each value sent.
    @inlinable
    public func map<New: Sendable>(_ transform: @escaping @Sendable (Value) -> New) -> ReadOnlyProperty<New> {
        ReadOnlyProperty<New>({ [read] in transform(read()) }, signal.map(transform))
    }

    /// The property of the values of both; its signal sends each time one of them changes.
    @inlinable
    public func combineLatest<Other: Sendable>(with other: ReadOnlyProperty<Other>) -> ReadOnlyProperty<(Value, Other)>
    {
        .combineLatest(self, other)
    }

    /// The property of the values of all; its signal sends each time one of them changes.
    ///
    /// Where several are set one after the other, readers and observers see the steps between.
    @inlinable
    public static func combineLatest<each Element: Sendable>(
        _ properties: repeat ReadOnlyProperty<each Element>
    ) -> ReadOnlyProperty where Value == (repeat each Element) {
        let all = PropertyTuple(repeat each properties)
        return ReadOnlyProperty({ all.values }, Signal.combineLatestAll(repeat (each properties).signal))
    }

    /// The property of the values of all, as an array in their order.
    @inlinable
    public static func combineLatest<Element: Sendable>(
        _ properties: [ReadOnlyProperty<Element>]
    ) -> ReadOnlyProperty where Value == [Element] {
        let changes = Signal.combineLatest(properties.map(\.signal))
        // None never sends; a property always has a value.
        return ReadOnlyProperty({ properties.map(\.value) }, properties.isEmpty ? .just([]) : changes)
    }

    /// The same values, paired: the first with the first, and so on; reading gives the present ones.
    @inlinable
    public func zip<Other: Sendable>(with other: ReadOnlyProperty<Other>) -> ReadOnlyProperty<(Value, Other)> {
        ReadOnlyProperty<(Value, Other)>({ [read] in (read(), other.value) }, signal.zip(with: other.signal))
    }

    /// The same property, whose signal leaves out what `isRepeat` takes for a repetition.
    @inlinable
    public func skipRepeats(
        by isRepeat: @escaping @Sendable (_ last: Value, _ value: Value) -> Bool
    ) -> ReadOnlyProperty {
        ReadOnlyProperty(read, signal.skipRepeats(by: isRepeat))
    }

    /// The property of the property that `transform` makes of the present value.
    @inlinable
    public func flatMap<New: Sendable>(
        _ transform: @escaping @Sendable (Value) -> ReadOnlyProperty<New>
    ) -> ReadOnlyProperty<New> {
        ReadOnlyProperty<New>({ [read] in transform(read()).value }, signal.flatMap(.latest) { transform($0).signal })
    }
}

extension ReadOnlyProperty where Value: Equatable {
    /// The same property, whose signal sends a value only if it differs from the one sent last.
    @inlinable
    public func skipRepeats() -> ReadOnlyProperty { skipRepeats(by: { $0 == $1 }) }
}

extension ReadOnlyProperty where Value == Bool {
    /// The opposite.
    @inlinable
    public func negate() -> ReadOnlyProperty { map { !$0 } }

    /// Whether both are true.
    @inlinable
    public func and(_ other: ReadOnlyProperty) -> ReadOnlyProperty { combineLatest(with: other).map { $0 && $1 } }

    /// Whether at least one is true.
    @inlinable
    public func or(_ other: ReadOnlyProperty) -> ReadOnlyProperty { combineLatest(with: other).map { $0 || $1 } }
}

extension Property {
    /// The property of what `transform` makes of the value; see ``ReadOnlyProperty/map(_:)``.
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
