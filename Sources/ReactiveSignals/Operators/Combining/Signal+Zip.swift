public import ReactiveCore
public import ReactiveSupport

extension Signal where Value == Never {
    /// Sends the first values of all `signals` together, then the second ones, and so on.
    ///
    /// A signal that is ahead is held back while 16 of its values wait, and released when it has ended. It completes as soon
    /// as a signal that has completed has no value left; it fails with the first that fails, at once: a failure overtakes
    /// values without a partner, also those that its source holds only because it is ahead (law 9).
    ///
    /// For up to six signals `zip` is the same, and type-checks faster.
    @inlinable
    public static func zipAll<each Element: Sendable>(
        _ signals: repeat Signal<each Element, Failure>
    ) -> Signal<(repeat each Element), Failure> {
        Signal<(repeat each Element), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let lanes = ZipLanes<repeat each Element>(junction.inputs)
            let zipping = Zip(junction, lanes.count) { lanes.take($0) }
            repeat zipping.join(each signals, each lanes.lanes)
        })
    }

    /// Sends the first values of all `signals` together, as an array in their order, then the second ones, and so on.
    ///
    /// None at all: completes at once.
    @inlinable
    public static func zip<Element: Sendable>(
        _ signals: some Collection<Signal<Element, Failure>> & Sendable
    ) -> Signal<[Element], Failure> {
        if signals.isEmpty { return .empty }
        return Signal<[Element], Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let lanes = signals.map { _ in ZipLane<Element>(junction.inputs) }
            let zipping = Zip(junction, lanes.count) { progress in lanes.map { $0.take(progress) } }
            for (signal, lane) in Swift.zip(signals, lanes) { zipping.join(signal, lane) }
        })
    }
}

extension Signal {
    /// Sends the first values of this signal and `other` together, then the second ones, and so on.
    @inlinable
    public func zip<Other: Sendable>(with other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
        Signal<Never, Failure>.zip(self, other)
    }
}

/// How far the lanes of a zip are; what the generic code of a lane has to tell.
@usableFromInline
final class ZipProgress {
    /// How many lanes have a value.
    @exclusivity(unchecked)
    @usableFromInline
    var ready = 0
    /// Whether a lane that has ended has no value left.
    @exclusivity(unchecked)
    @usableFromInline
    var isExhausted = false

    @inlinable
    init() {}
}

/// One input of a zip, and its values that wait for those of the others.
@usableFromInline
final class ZipLane<Element: Sendable> {
    @usableFromInline
    let input: SignalSubscription
    @usableFromInline
    let intake: Intake

    @exclusivity(unchecked)
    @usableFromInline
    var waiting = FIFO<Element>()
    @exclusivity(unchecked)
    @usableFromInline
    var isOver = false

    @inlinable
    init(_ inputs: SignalSubscription) {
        input = inputs.makeChild()
        intake = Intake(input, 16, .byOperator)
    }

    /// Takes the next value; there is one.
    @inlinable
    func take(_ progress: ZipProgress) -> Element {
        guard let value = waiting.popFirst() else { preconditionFailure("a lane without a value is not ready") }
        if waiting.isEmpty {
            progress.ready -= 1
            if isOver { progress.isExhausted = true }
        }
        // The source may send before this returns: that is queued.
        intake.taken()
        return value
    }
}

/// Lanes of several types.
@usableFromInline
final class ZipLanes<each Element: Sendable> {
    @usableFromInline
    let lanes: (repeat ZipLane<each Element>)

    @inlinable
    init(_ inputs: SignalSubscription) {
        lanes = (repeat ZipLane<each Element>(inputs))
    }

    @inlinable
    var count: Int {
        var count = 0
        for _ in repeat each lanes { count += 1 }
        return count
    }

    @inlinable
    func take(_ progress: ZipProgress) -> (repeat each Element) { (repeat (each lanes).take(progress)) }
}

/// The state of a `zip`; it belongs to the junction's steps.
@usableFromInline
final class Zip<Value: Sendable, Failure: Error> {
    @usableFromInline
    let junction: Junction<Value, Failure>
    @usableFromInline
    let count: Int
    @usableFromInline
    let make: (ZipProgress) -> Value
    @usableFromInline
    let progress = ZipProgress()

    @inlinable
    init(_ junction: Junction<Value, Failure>, _ count: Int, _ make: @escaping (ZipProgress) -> Value) {
        self.junction = junction
        self.count = count
        self.make = make
        if count == 0 { junction.run(()) { junction.end(.completed) } }
    }

    @inlinable
    func join<Element: Sendable>(_ signal: Signal<Element, Failure>, _ lane: ZipLane<Element>) {
        guard !lane.input.isDisposed else { return }
        let received: (Element) -> Void = { [self] value in
            lane.waiting.append(value)
            if lane.waiting.count == 1 { progress.ready += 1 }
            while progress.ready == count, !junction.isOver {
                junction.send(make(progress))
                if progress.isExhausted { junction.end(.completed) }
            }
        }
        let ended: (Termination<Failure>) -> Void = { [self] termination in
            lane.isOver = true
            switch termination {
            case .completed: if lane.waiting.isEmpty { junction.end(.completed) }
            case .failed: junction.end(termination)
            }
        }
        signal.relay(
            in: lane.input,
            { [junction] value in
                lane.intake.arrived()
                junction.run(value, received)
            },
            { [junction] termination in if lane.input.end() { junction.run(termination, ended) } }
        )
    }
}
