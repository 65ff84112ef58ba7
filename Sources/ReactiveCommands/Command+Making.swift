import ReactiveCore
public import ReactiveSignals

extension Command {
    /// Makes a command whose work is a signal: `work` is called for each execution, and the signal it gives subscribed to.
    ///
    /// `condition` says whether it is enabled: its latest value rules, before the first one it is. It is subscribed to now
    /// and until the command ends; that it ends itself changes nothing.
    public convenience init(
        _ strategy: CommandStrategy = .serial,
        enabledIf condition: Signal<Bool, Never>? = nil,
        delivery: CommandDelivery = .direct,
        _ work: @escaping @Sendable (Input) -> Signal<Output, Failure>
    ) {
        self.init(strategy, condition, delivery, .signal(work))
    }

    /// Makes a command whose work is a function, which may throw: an execution has one value, and has ended when the call
    /// that began it returns.
    public convenience init(
        _ strategy: CommandStrategy = .serial,
        enabledIf condition: Signal<Bool, Never>? = nil,
        delivery: CommandDelivery = .direct,
        trying function: @escaping @Sendable (Input) throws(Failure) -> Output
    ) {
        self.init(strategy, condition, delivery, .function(function))
    }

    /// Makes a command whose work is an async function; cancelling an execution cancels its task.
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

    /// Makes a command that is enabled by a state and works with it: the work gets the very value that let it in.
    ///
    /// An execution that has to wait keeps the state it was asked for with.
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

    /// Makes a command that is enabled while there is a value, and works with it.
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
