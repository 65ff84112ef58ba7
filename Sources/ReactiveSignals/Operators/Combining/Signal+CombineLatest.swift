extension Signal where Value == Never {
    /// Sends the latest values of all `signals`, each time one of them sends; the first time when each has sent one.
    ///
    /// It completes when all have, or one without ever having sent a value; it fails with the first that fails. What they
    /// send from several threads, or inside one another's deliveries, is put in one order (laws 2 and 4). A pause pauses all
    /// of them.
    ///
    /// For up to six signals `combineLatest` is the same, and type-checks faster.
    @inlinable
    public static func combineLatestAll<each Element: Sendable>(
        _ signals: repeat Signal<each Element, Failure>
    ) -> Signal<(repeat each Element), Failure> {
        Signal<(repeat each Element), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let latest = CombinedInputs<repeat LatestInput<each Element>>(junction.inputs)
            let all = Combination(junction, latest.count) { latest.take($0) }
            repeat all.join(each signals, each latest.inputs)
        })
    }

    /// Sends the latest values of all `signals`, as an array in their order, each time one of them sends.
    ///
    /// None at all: completes at once.
    @inlinable
    public static func combineLatest<Element: Sendable>(
        _ signals: some Collection<Signal<Element, Failure>> & Sendable
    ) -> Signal<[Element], Failure> {
        .combining(signals, as: LatestInput<Element>.self)
    }
}

extension Signal {
    /// Sends the latest values of this signal and `other`, each time one of them sends.
    @inlinable
    public func combineLatest<Other: Sendable>(with other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
        Signal<Never, Failure>.combineLatest(self, other)
    }
}

/// An input whose latest value becomes part of each combination.
@usableFromInline
final class LatestInput<Element: Sendable>: CombinedInput {
    @usableFromInline
    let subscription: SignalSubscription

    @safe @exclusivity(unchecked)
    @usableFromInline
    var latest: Element?
    @safe @exclusivity(unchecked)
    @usableFromInline
    var hasEnded = false

    @inlinable
    init(_ inputs: SignalSubscription) {
        subscription = inputs.makeChild("input")
    }

    @inlinable
    var isEmpty: Bool { latest == nil }

    @inlinable
    func arrived() {}

    @inlinable
    func keep(_ value: Element) { latest = value }

    @inlinable
    func take(_ progress: CombinationProgress) -> Element {
        guard let latest else { preconditionFailure("an input that has sent nothing has no latest value") }
        return latest
    }
}
