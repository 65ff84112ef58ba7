// SPDX-License-Identifier: MIT
import ReactiveCore
package import ReactiveSignals

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

    /// Returns a command that captures the current values of `locals` when an execution is submitted, and restores them
    /// in the work: `lookup.propagating(ServiceContext.$current).execute(key)`.
    ///
    /// The work, its teardowns and all operators of its signal see the values, even if the execution waits and begins on
    /// another thread. See `Signal.propagating(_:)`, which has the same effect for ``apply(_:whenDisposed:)``. The
    /// command's observers do not see the values. The command ends when it and all derived commands have been released.
    ///
    /// - Parameter locals: The task-locals, for example `Request.$id`.
    /// - Returns: A command that shares this command's strategy, states and observers.
    public func propagating<each Local: Sendable>(_ locals: repeat TaskLocal<each Local>) -> Command {
        Command(core, work.propagating { PropagatedContext(capturing: repeat each locals) }, life)
    }

    /// Returns a command whose work is the result of `wrap`. The work itself is called when that signal is subscribed to.
    package func wrapping(
        _ wrap: @escaping @Sendable (Signal<Output, Failure>) -> Signal<Output, Failure>
    ) -> Command {
        Command(core, work.wrapping(wrap), life)
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
