import ReactiveCore
import ReactiveSignals

extension Command {
    /// Returns the same command with another input. Both share states, slots and observers, and the command ends when
    /// both are released. `transform` is called after an execution has been admitted.
    public func contramap<New: Sendable>(
        _ transform: @escaping @Sendable (New) -> Input
    ) -> Command<New, Output, Failure> {
        Command<New, Output, Failure>(core, work.contramap(transform), life)
    }

    /// Makes a command that executes all of `commands` with its input. It sends their latest outputs as an array in
    /// their order, once each has one, and again whenever one changes.
    ///
    /// It is enabled while all are. The executions begin in order. When one is rejected, cancelled or fails, the others
    /// are cancelled, and the execution fails with that error. Without commands, it sends one empty array.
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
