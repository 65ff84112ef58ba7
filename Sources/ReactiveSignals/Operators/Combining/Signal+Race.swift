public import ReactiveCore
public import Synchronization

extension Signal {
    /// Sends what that one of `signals` sends which sends or ends first, and lets go of the others then; `amb` elsewhere.
    ///
    /// They are subscribed to in order; if one of them sends at once, those after it are not. None at all: never sends.
    @inlinable
    public static func race(_ signals: some Collection<Signal> & Sendable) -> Signal {
        Signal(start: { sink, subscription in
            let race = Race(Junction(sink, subscription))
            for signal in signals where !race.isDecided.isOn.load(ordering: .acquiring) { race.join(signal) }
        })
    }

    /// Sends what that one of `signals` sends which sends or ends first.
    @inlinable
    public static func race(_ signals: Signal...) -> Signal { race(signals) }

    /// Sends what this signal sends until `replacement` sends a value, then lets go of it and sends what that does.
    ///
    /// `replacement` is subscribed first. It completes when `replacement` has; a failure of either ends it.
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

/// Who is in a race, and who has won it; the state belongs to the junction's steps.
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

    /// Takes somebody in who is let go of when another one wins.
    @inlinable
    func enter(_ runner: SignalSubscription) {
        junction.run(runner) { [self] runner in if winner == nil { runners.append(runner) } else { runner.dispose() } }
    }

    /// The source of a `flatMap(.race)` is over: where it has sent nobody into the race, so is that.
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
