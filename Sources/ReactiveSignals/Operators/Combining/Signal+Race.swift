// SPDX-License-Identifier: MIT
public import ReactiveCore
public import Synchronization

extension Signal {
    /// Sends the events of the signal that sends or terminates first, and disposes the others. RxSwift calls it `amb`.
    ///
    /// Subscribes to the signals in order. If one of them sends or terminates immediately, the signals after it are not
    /// subscribed to. With no signals, the result sends nothing and never terminates. A pause pauses all signals.
    @inlinable
    public static func race(_ signals: some Collection<Signal> & Sendable) -> Signal {
        Signal(start: { sink, subscription in
            let race = Race(Junction(sink, subscription))
            for signal in signals where !race.isDecided.isOn.load(ordering: .acquiring) { race.join(signal) }
        })
    }

    /// Sends the events of the signal that sends or terminates first, and disposes the others.
    @inlinable
    public static func race(_ signals: Signal...) -> Signal { race(signals) }

    /// Sends this signal's values until `replacement` sends one, then disposes this signal and sends the values of
    /// `replacement`.
    ///
    /// `replacement` is subscribed first. If it sends immediately, this signal is not subscribed to. The result
    /// completes when `replacement` completes, even without a value. If this signal completes first, the result waits
    /// for `replacement`. The result fails when `replacement` fails, or when this signal fails before it is replaced. A
    /// pause pauses both signals.
    @inlinable
    public func take(untilReplacement replacement: Signal) -> Signal {
        Signal(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let input = junction.inputs.makeChild()
            let isReplaced = Cell(false)
            junction.join(
                replacement,
                onValue: { value in
                    isReplaced.value = true
                    input.dispose()
                    junction.send(value)
                },
                onTermination: { junction.end($0) }
            )
            junction.join(
                self,
                in: input,
                onValue: { if !isReplaced.value { junction.send($0) } },
                onTermination: { if case .failed = $0, !isReplaced.value { junction.end($0) } }
            )
        })
    }
}

/// The signals in a race and the winner. Only steps of the ``Junction`` access the variables.
@usableFromInline
final class Race<Value: Sendable, Failure: Error> {
    @usableFromInline
    let junction: Junction<Value, Failure>
    @usableFromInline
    let isDecided = Switch()

    @safe @exclusivity(unchecked)
    @usableFromInline
    var runners: [SignalSubscription] = []
    @safe @exclusivity(unchecked)
    @usableFromInline
    var winner: SignalSubscription?

    @inlinable
    init(_ junction: Junction<Value, Failure>) {
        self.junction = junction
    }

    @inlinable
    func join(_ signal: Signal<Value, Failure>) {
        let runner = junction.inputs.makeChild()
        enter(runner)
        junction.join(
            signal,
            in: runner,
            onValue: { [self] value in if hasWon(runner) { junction.send(value) } },
            onTermination: { [self] termination in if hasWon(runner) { junction.end(termination) } }
        )
    }

    /// Adds a subscription that is disposed when another one wins.
    @inlinable
    func enter(_ runner: SignalSubscription) {
        junction.run(runner) { [self] runner in if winner == nil { runners.append(runner) } else { runner.dispose() } }
    }

    /// Handles the termination of the source of a `flatMap(.race)`. Completion terminates the race only if the source
    /// has started no signal.
    @inlinable
    func outerEnded(_ termination: Termination<Failure>) {
        junction.run(termination) { [self] termination in
            guard winner == nil else { return }
            if case .completed = termination, runners.count > 1 { return }
            junction.end(termination)
        }
    }

    @inlinable
    func hasWon(_ runner: SignalSubscription) -> Bool {
        if let winner { return winner === runner }
        winner = runner
        isDecided.isOn.store(true, ordering: .releasing)
        let losers = runners
        runners = []
        for loser in losers where loser !== runner { loser.dispose() }
        return true
    }
}
