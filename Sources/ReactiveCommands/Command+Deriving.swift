// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

extension Command {
    /// Returns the same command with another input. Both share states, slots and observers.
    ///
    /// `transform` is called after an execution has been admitted, on the thread on which its work begins. The command
    /// ends when both are released.
    public func contramap<New: Sendable>(
        _ transform: @escaping @Sendable (New) -> Input
    ) -> Command<New, Output, Failure> {
        Command<New, Output, Failure>(core, work.contramap(transform), life)
    }

    /// Makes a command that executes all of `commands` with its input.
    ///
    /// It sends their latest outputs as an array in their order: once each command has sent one, and again for each
    /// later output. Its executions are concurrent, without a limit.
    ///
    /// It is enabled while all of `commands` are. The executions begin in order. The whole completes when all have
    /// completed, or when one completes without an output. When one is rejected, cancelled or fails, the others are
    /// cancelled, and the execution fails with that error. Without commands, it sends one empty array.
    ///
    /// - Parameters:
    ///   - commands: The commands to execute. The new command retains them.
    ///   - delivery: Where the new command notifies its observers.
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
