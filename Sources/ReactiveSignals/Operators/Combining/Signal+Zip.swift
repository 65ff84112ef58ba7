// SPDX-License-Identifier: MIT
public import ReactiveSupport

extension Signal where Value == Never {
    /// Sends the first values of all `signals` together, then the second ones, and so on.
    ///
    /// Subscribes to the signals in order. A signal that is ahead is paused when 16 of its values wait, until at most 8
    /// are left. A signal that has terminated is released immediately. The result completes when a completed signal has
    /// no value left. With no signals, the result completes immediately.
    ///
    /// The result fails immediately when one of the signals fails. The failure overtakes unpaired values, and values
    /// that a source buffers only because it is ahead ([law 9](doc:LawsOfSignals)). A pause pauses all signals.
    ///
    /// `zip` does the same for up to six signals, and type-checks faster.
    @inlinable
    public static func zipAll<each Element: Sendable>(
        _ signals: repeat Signal<each Element, Failure>
    ) -> Signal<(repeat each Element), Failure> {
        Signal<(repeat each Element), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let queued = CombinedInputs<repeat QueuedInput<each Element>>(junction.inputs)
            let all = Combination(junction, queued.count) { queued.take($0) }
            repeat all.join(each signals, each queued.inputs)
        })
    }

    /// Sends the first values of all `signals` together, as an array in their order, then the second ones, and so on.
    ///
    /// Apart from that, it behaves like ``zipAll(_:)``. With no signals, the result completes immediately.
    @inlinable
    public static func zip<Element: Sendable>(
        _ signals: some Collection<Signal<Element, Failure>> & Sendable
    ) -> Signal<[Element], Failure> {
        .combining(signals, as: QueuedInput<Element>.self)
    }
}

extension Signal {
    /// Sends the first values of this signal and `other` together, then the second ones, and so on. See ``zipAll(_:)``.
    @inlinable
    public func zip<Other: Sendable>(with other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
        Signal<Never, Failure>.zip(self, other)
    }
}

/// An input that queues its values and contributes each one to a single combination.
@usableFromInline
final class QueuedInput<Element: Sendable>: CombinedInput {
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let backPressure: BackPressure

    @safe @exclusivity(unchecked)
    @usableFromInline
    var waiting = FIFO<Element>()
    @safe @exclusivity(unchecked)
    @usableFromInline
    var hasEnded = false

    @inlinable
    init(_ inputs: SignalSubscription) {
        subscription = inputs.makeChild("input")
        backPressure = BackPressure(subscription, 16, .byOperator)
    }

    @inlinable
    var isEmpty: Bool { waiting.isEmpty }

    @inlinable
    func arrived() { backPressure.arrived() }

    @inlinable
    func keep(_ value: Element) { waiting.append(value) }

    @inlinable
    func take(_ progress: CombinationProgress) -> Element {
        guard let value = waiting.popFirst() else { fatalError("an input without a value is not ready") }
        if waiting.isEmpty {
            progress.ready -= 1
            if hasEnded { progress.isExhausted = true }
        }
        // The source may send before this call returns. Such a value is queued.
        backPressure.taken()
        return value
    }
}
