import ReactiveCore
public import ReactiveSignals

extension Command {
    /// Makes a command whose work is a signal. Each execution calls `work` and subscribes to the result.
    ///
    /// The latest value of `condition` says whether the command is enabled. Before the first value, it is. The
    /// condition is subscribed to from now until the command ends; its own termination changes nothing.
    public convenience init(
        _ strategy: CommandStrategy = .serial,
        enabledIf condition: Signal<Bool, Never>? = nil,
        delivery: CommandDelivery = .direct,
        _ work: @escaping @Sendable (Input) -> Signal<Output, Failure>
    ) {
        self.init(strategy, condition, delivery, .signal(work))
    }

    /// Makes a command whose work is a function, which may throw. An execution sends one value. If it does not have to
    /// wait, it has ended when the call that submits it returns.
    public convenience init(
        _ strategy: CommandStrategy = .serial,
        enabledIf condition: Signal<Bool, Never>? = nil,
        delivery: CommandDelivery = .direct,
        trying function: @escaping @Sendable (Input) throws(Failure) -> Output
    ) {
        self.init(strategy, condition, delivery, .function(function))
    }

    /// Makes a command whose work is an async function. Cancelling an execution cancels its task.
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

    /// Makes a command that is enabled by a state and works with it. The work gets the value that admitted it.
    ///
    /// An execution that has to wait keeps the value with which it was submitted.
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

    /// Makes a command that is enabled while there is a value, and works with that value.
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
