// SPDX-License-Identifier: MIT
import ReactiveCore
public import ReactiveSignals

extension Command {
    /// Creates a command whose work is a signal. The command calls `work` for each execution and subscribes to the
    /// returned signal.
    ///
    /// - Parameters:
    ///   - strategy: How many executions may run at the same time, and what happens to the others.
    ///   - condition: A signal whose latest value says whether the command is enabled. Before the first value the
    ///     command is enabled. The initializer subscribes to it, and the subscription is disposed when the command
    ///     ends. A termination of the condition changes nothing. `nil` means always enabled.
    ///   - delivery: The thread or scheduler on which the command notifies its observers.
    ///   - work: Returns the signal of one execution. It is called on the thread that submits the execution. If the
    ///     execution had to wait, it is called on the thread that ends a previous one.
    public convenience init(
        _ strategy: CommandStrategy = .serial,
        enabledIf condition: Signal<Bool, Never>? = nil,
        delivery: CommandDelivery = .direct,
        _ work: @escaping @Sendable (Input) -> Signal<Output, Failure>
    ) {
        self.init(strategy, condition, delivery, .signal(work))
    }

    /// Creates a command whose work is a function, which may throw. An execution sends one value.
    ///
    /// If an execution does not have to wait, it runs inside the call that submits it, and has ended when that call
    /// returns. An error that `function` throws becomes ``CommandError/failed(_:)``. The other parameters are those of
    /// ``init(_:enabledIf:delivery:_:)``.
    public convenience init(
        _ strategy: CommandStrategy = .serial,
        enabledIf condition: Signal<Bool, Never>? = nil,
        delivery: CommandDelivery = .direct,
        trying function: @escaping @Sendable (Input) throws(Failure) -> Output
    ) {
        self.init(strategy, condition, delivery, .function(function))
    }

    /// Creates a command whose work is an async function. An execution calls it in a new task, sends one value and
    /// completes.
    ///
    /// Cancelling an execution cancels its task. An error that `function` throws becomes ``CommandError/failed(_:)``.
    /// The other parameters are those of ``init(_:enabledIf:delivery:_:)``.
    public convenience init(
        _ strategy: CommandStrategy = .serial,
        enabledIf condition: Signal<Bool, Never>? = nil,
        delivery: CommandDelivery = .direct,
        async function: @escaping @Sendable (Input) async throws(Failure) -> Output
    ) {
        self.init(
            strategy,
            condition,
            delivery,
            .signal { input in
                Signal(async: { () async throws(Failure) -> Output in try await function(input) })
            }
        )
    }

    /// Creates a command that depends on a property: its work receives the property's value, and it is enabled only for
    /// values that `isEnabled` accepts.
    ///
    /// The command reads the state when an execution is submitted. The work receives that value, even if the execution
    /// has to wait. `isEnabled` is called for each execution, on the submitting thread, and for each new state. If it
    /// returns false, the execution is rejected as ``Rejection/disabled``.
    public convenience init<State: Sendable>(
        _ strategy: CommandStrategy = .serial,
        state: ReadOnlyProperty<State>,
        enabledIf isEnabled: @escaping @Sendable (State) -> Bool = { _ in true },
        delivery: CommandDelivery = .direct,
        _ work: @escaping @Sendable (State, Input) -> Signal<Output, Failure>
    ) {
        self.init(
            strategy,
            state.signal.map(isEnabled),
            delivery,
            .stateful {
                let state = state.value
                return isEnabled(state) ? .signal { work(state, $0) } : nil
            }
        )
    }

    /// Creates a command that is enabled while a state has a value, and whose work receives that value.
    ///
    /// The command reads the state when an execution is submitted. The work receives that value, even if the execution
    /// has to wait. While the state is `nil`, executions are rejected as ``Rejection/disabled``.
    public convenience init<State: Sendable>(
        _ strategy: CommandStrategy = .serial,
        unwrapping state: ReadOnlyProperty<State?>,
        delivery: CommandDelivery = .direct,
        _ work: @escaping @Sendable (State, Input) -> Signal<Output, Failure>
    ) {
        self.init(
            strategy,
            state.signal.map { $0 != nil },
            delivery,
            .stateful {
                guard let state = state.value else { return nil }
                return .signal { work(state, $0) }
            }
        )
    }
}
