public import ReactiveCore

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
            let latest = LatestValues<repeat each Element>()
            let combination = LatestCombination(Junction(sink, subscription), latest.count) { latest.tuple }
            repeat combination.join(each signals, each latest.cells)
        })
    }

    /// Sends the latest values of all `signals`, as an array in their order, each time one of them sends.
    ///
    /// None at all: completes at once.
    @inlinable
    public static func combineLatest<Element: Sendable>(
        _ signals: some Collection<Signal<Element, Failure>> & Sendable
    ) -> Signal<[Element], Failure> {
        if signals.isEmpty { return .empty }
        return Signal<[Element], Failure>(start: { sink, subscription in
            let latest = signals.map { _ in LatestCell<Element>() }
            let combination = LatestCombination(Junction(sink, subscription), latest.count) {
                latest.map(\.present)
            }
            for (signal, slot) in Swift.zip(signals, latest) { combination.join(signal, slot) }
        })
    }
}

extension Signal {
    /// Sends the latest values of this signal and `other`, each time one of them sends.
    @inlinable
    public func combineLatest<Other: Sendable>(with other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
        Signal<Never, Failure>.combineLatest(self, other)
    }
}

/// The latest value of one input; it belongs to the junction's steps.
@usableFromInline
final class LatestCell<Value: Sendable> {
    @exclusivity(unchecked)
    @usableFromInline
    var value: Value?

    @inlinable
    init() {}

    @inlinable
    var present: Value {
        guard let value else { preconditionFailure("an input that has sent nothing has no latest value") }
        return value
    }
}

/// The latest values of inputs of several types. A class of its own, because a closure that captures them crashes the
/// compiler (Swift 6.3.1).
@usableFromInline
final class LatestValues<each Element: Sendable> {
    @usableFromInline
    let cells: (repeat LatestCell<each Element>)

    @inlinable
    init() {
        cells = (repeat LatestCell<each Element>())
    }

    @inlinable
    var count: Int {
        var count = 0
        for _ in repeat each cells { count += 1 }
        return count
    }

    /// All of them; each is there.
    @inlinable
    var tuple: (repeat each Element) { (repeat (each cells).present) }
}

/// What `combineLatest` knows of its inputs; it belongs to the junction's steps.
@usableFromInline
final class LatestCombination<Value: Sendable, Failure: Error> {
    @usableFromInline
    let junction: Junction<Value, Failure>
    @usableFromInline
    let make: () -> Value

    @exclusivity(unchecked)
    @usableFromInline
    var missing: Int
    @exclusivity(unchecked)
    @usableFromInline
    var open: Int

    @inlinable
    init(_ junction: Junction<Value, Failure>, _ count: Int, _ make: @escaping () -> Value) {
        self.junction = junction
        self.make = make
        missing = count
        open = count
        if count == 0 { junction.run(()) { junction.end(.completed) } }
    }

    @inlinable
    func join<Element: Sendable>(_ signal: Signal<Element, Failure>, _ latest: LatestCell<Element>) {
        junction.join(
            signal,
            onValue: { [self] value in
                if latest.value == nil { missing -= 1 }
                latest.value = value
                if missing == 0 { junction.send(make()) }
            },
            onTermination: { [self] termination in
                open -= 1
                switch termination {
                case .completed: if open == 0 || latest.value == nil { junction.end(.completed) }
                case .failed: junction.end(termination)
                }
            }
        )
    }
}
