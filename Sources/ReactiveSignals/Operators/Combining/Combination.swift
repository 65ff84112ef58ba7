// SPDX-License-Identifier: MIT
public import ReactiveCore

/// One input of a ``Combination``, and its values for the next combinations. Only steps of the ``Junction`` access it.
@usableFromInline
protocol CombinedInput<Element>: AnyObject, SendableMetatype {
    associatedtype Element: Sendable

    /// Creates an input whose subscription is a child of `inputs`.
    init(_ inputs: SignalSubscription)

    var subscription: SignalSubscription { get }
    /// Whether the input has no value for the next combination.
    var isEmpty: Bool { get }
    var hasEnded: Bool { get set }

    /// Counts a value. It is called on the thread of the source, before the value is queued.
    func arrived()
    func keep(_ value: Element)
    /// Returns the input's value for the next combination. The input must not be empty.
    func take(_ progress: CombinationProgress) -> Element
}

/// The part of a combination's state that its inputs change. It is a separate class, because the inputs do not know the
/// combination's type.
@usableFromInline
final class CombinationProgress {
    /// The number of inputs that have a value.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var ready = 0
    /// Whether an input that has terminated has no value left.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var isExhausted = false

    @inlinable
    init() {}
}

/// The common part of `combineLatest` and `zip`: sends a combination as soon as each input has a value.
///
/// The inputs decide which values to combine. Only steps of the ``Junction`` access it.
@usableFromInline
final class Combination<Value: Sendable, Failure: Error> {
    @usableFromInline
    let junction: Junction<Value, Failure>
    @usableFromInline
    let count: Int
    @usableFromInline
    let make: (CombinationProgress) -> Value
    @usableFromInline
    let progress = CombinationProgress()

    /// The number of inputs that have not terminated.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var open: Int

    @inlinable
    init(_ junction: Junction<Value, Failure>, _ count: Int, _ make: @escaping (CombinationProgress) -> Value) {
        self.junction = junction
        self.count = count
        self.make = make
        open = count
        if count == 0 { junction.run(()) { junction.end(.completed) } }
    }

    /// Subscribes to one input.
    @inlinable
    func join<Input: CombinedInput>(_ signal: Signal<Input.Element, Failure>, _ input: Input) {
        guard !input.subscription.isDisposed else { return }
        let received: (Input.Element) -> Void = { [self] value in
            if input.isEmpty { progress.ready += 1 }
            input.keep(value)
            guard progress.ready == count else { return }
            junction.send(make(progress))
            if progress.isExhausted { junction.end(.completed) }
        }
        let ended: (Termination<Failure>) -> Void = { [self] termination in
            input.hasEnded = true
            open -= 1
            switch termination {
            case .completed: if open == 0 || input.isEmpty { junction.end(.completed) }
            case .failed: junction.end(termination)
            }
        }
        signal.relay(
            in: input.subscription,
            { [junction] value in
                input.arrived()
                junction.run(value, received)
            },
            { [junction] termination in if input.subscription.end() { junction.run(termination, ended) } }
        )
    }
}

/// Inputs of several types. It is a class, because a closure that captures the pack crashes the compiler (Swift 6.3.1).
@usableFromInline
final class CombinedInputs<each Input: CombinedInput> {
    @usableFromInline
    let inputs: (repeat each Input)
    @usableFromInline
    let count: Int

    @inlinable
    init(_ inputs: SignalSubscription) {
        // Counts while it creates the inputs: Swift 6.3.1 compiles a loop that only counts a pack to one iteration,
        // unless the code is specialised.
        var count = 0
        func make<New: CombinedInput>(_: New.Type) -> New {
            count += 1
            return New(inputs)
        }
        self.inputs = (repeat make((each Input).self))
        self.count = count
    }

    @inlinable
    func take(_ progress: CombinationProgress) -> (repeat (each Input).Element) {
        (repeat (each inputs).take(progress))
    }
}

extension Signal {
    /// Combines the values of `signals`, each through an input of type `Input`. With no signals, the result completes
    /// immediately.
    @inlinable
    static func combining<Input: CombinedInput>(
        _ signals: some Collection<Signal<Input.Element, Failure>> & Sendable,
        as _: Input.Type
    ) -> Signal where Value == [Input.Element] {
        if signals.isEmpty { return .empty }
        return Signal(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = signals.map { _ in Input(junction.inputs) }
            let all = Combination(junction, inputs.count) { progress in inputs.map { $0.take(progress) } }
            for (signal, input) in Swift.zip(signals, inputs) { all.join(signal, input) }
        })
    }
}
