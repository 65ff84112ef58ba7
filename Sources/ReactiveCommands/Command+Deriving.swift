import ReactiveCore
import ReactiveSignals

extension Command {
    /// The same command for those who have another input: it has the same states, places and observers, and the last of
    /// both to be let go of ends it. `transform` is called when an execution is let in, not before.
    public func contramap<New: Sendable>(
        _ transform: @escaping @Sendable (New) -> Input
    ) -> Command<New, Output, Failure> {
        Command<New, Output, Failure>(core, work.contramap(transform), life)
    }

    /// Makes a command that executes all of `commands` with its input, and sends their latest outputs, in their order, when
    /// each has one, and then whenever one of them changes.
    ///
    /// It is enabled while all are. They begin in their order; when one is rejected, cancelled or fails, the others are
    /// cancelled, and it fails with that one's error. None at all gives one empty array.
    public static func all(
        of commands: [Command],
        delivery: CommandDelivery = .direct
    ) -> Command<Input, [Output], CommandError<Failure>> {
        let areEnabled = ReadOnlyProperty.combineLatest(commands.map(\.isEnabled))
        return Command<Input, [Output], CommandError<Failure>>(
            .concurrent(),
            enabledIf: areEnabled.signal.map { $0.allSatisfy { $0 } },
            delivery: delivery
        ) { input in
            commands.isEmpty ? .just([]) : Signal.combineLatest(commands.map { $0.apply(input) })
        }
    }
}
