// SPDX-License-Identifier: MIT

extension Signal where Value == Never {
    /// Sends the latest values of all `signals`, each time one of them sends a value.
    ///
    /// Subscribes to the signals in order. The first combination is sent when each signal has sent a value. The result
    /// completes when all signals have completed, or when one completes without a value. It fails immediately when one
    /// of them fails. With no signals, the result completes immediately.
    ///
    /// Values that are sent from several threads or during a delivery are put in one order
    /// ([law 4](doc:LawsOfSignals)). A pause pauses all signals.
    ///
    /// `combineLatest` does the same for up to six signals, and type-checks faster.
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

    /// Sends the latest values of all `signals`, as an array in their order, each time one of them sends a value.
    ///
    /// Apart from that, it behaves like ``combineLatestAll(_:)``. With no signals, the result completes immediately.
    @inlinable
    public static func combineLatest<Element: Sendable>(
        _ signals: some Collection<Signal<Element, Failure>> & Sendable
    ) -> Signal<[Element], Failure> {
        .combining(signals, as: LatestInput<Element>.self)
    }
}

extension Signal {
    /// Sends the latest values of this signal and `other`, each time either one sends a value. See
    /// ``combineLatestAll(_:)``.
    @inlinable
    public func combineLatest<Other: Sendable>(with other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
        Signal<Never, Failure>.combineLatest(self, other)
    }
}

/// An input that contributes its latest value to each combination.
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
        guard let latest else { fatalError("an input that has sent nothing has no latest value") }
        return latest
    }
}
