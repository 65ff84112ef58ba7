// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

extension Command {
    /// Returns a command with another type of input, which shares this command's strategy, states and observers.
    ///
    /// `transform` is called after an execution has been admitted, on the thread on which its work begins. The command
    /// ends when it and all derived commands have been released.
    public func contramap<New: Sendable>(
        _ transform: @escaping @Sendable (New) -> Input
    ) -> Command<New, Output, Failure> {
        Command<New, Output, Failure>(core, work.contramap(transform), life)
    }

    /// Creates a command that executes all of `commands` with its input.
    ///
    /// Each execution sends an array of the commands' latest outputs, in the order of `commands`. The first array is
    /// sent when each command has sent an output. Each later output sends another array. Any number of executions may
    /// run at the same time.
    ///
    /// It is enabled while all of `commands` are. The executions begin in order. The combined execution completes when
    /// all have completed, or when one completes without an output. If one is rejected, is cancelled or fails, the
    /// others are cancelled, and the combined execution fails with that error. Without commands, it sends one empty
    /// array.
    ///
    /// - Parameters:
    ///   - commands: The commands to execute. The new command retains them.
    ///   - delivery: The thread or scheduler on which the new command notifies its observers.
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
