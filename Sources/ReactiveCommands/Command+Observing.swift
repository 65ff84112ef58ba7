public import ReactiveCore
public import ReactiveSignals

extension Command {
    /// Whether an execution is under way.
    ///
    /// Reading gives what holds now: it has changed before the work begins, and before whoever executes hears of its end. A
    /// subscriber gets the present state at once, on its own thread, and each change where the command delivers. An execution
    /// that follows another without a moment between is no change. It completes with the command.
    public var isExecuting: ReadOnlyProperty<Bool> {
        core.property(core.signals.isExecuting) { isExecuting, _ in isExecuting }
    }

    /// Whether an execution asked for now would be let in or may wait: the condition holds, there is room, and the command
    /// is not over. As ``isExecuting`` in everything else.
    public var isEnabled: ReadOnlyProperty<Bool> {
        core.property(core.signals.isEnabled) { _, isEnabled in isEnabled }
    }

    /// The executions let in from now on, each as a signal of its values that completes where the execution ends in any way.
    ///
    /// An execution is sent before its work begins; who subscribes to it later gets its last 16 values.
    public var executions: Signal<Signal<Output, Never>, Never> {
        core.observing(\.executions, core.signals.executions) { $0 }
    }

    /// What the executions send, and how they end: a completion or a failure for each, as values. Not those broken off.
    public var events: Signal<Event<Output, Failure>, Never> {
        core.observing(\.events, core.signals.events) { $0 }
    }

    /// The values of all executions.
    public var values: Signal<Output, Never> {
        core.observing(\.events, core.signals.events) { if case .value(let value) = $0 { value } else { nil } }
    }

    /// The failures of all executions, as values; also of those under way. Rejections are not among them.
    public var errors: Signal<Failure, Never> {
        core.observing(\.events, core.signals.events) { event in
            if case .ended(.failed(let failure)) = event { failure } else { nil }
        }
    }

    /// A value for each execution that completes.
    public var completions: Signal<Void, Never> {
        core.observing(\.events, core.signals.events) { if case .ended(.completed) = $0 { () } else { nil } }
    }

    /// Why executions were not let in, one value for each.
    public var rejections: Signal<Rejection, Never> {
        core.observing(\.rejections, core.signals.rejections) { $0 }
    }
}
