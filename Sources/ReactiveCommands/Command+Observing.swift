// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals

extension Command {
    /// Whether an execution is under way.
    ///
    /// A read returns the present state. The state changes before the work begins, and before the caller of an
    /// execution is notified of its end. A subscriber receives the present state at once, on its own thread, and each
    /// change where the command delivers. An execution that directly follows another causes no change. The property
    /// completes when the command ends.
    public var isExecuting: ReadOnlyProperty<Bool> {
        core.property(core.signals.isExecuting) { isExecuting, _ in isExecuting }
    }

    /// Whether an execution that is submitted now would be admitted or could wait.
    ///
    /// That is so while the condition is true, there is room, and the command has not ended. Another thread may change
    /// the state before you act on it, so handle a rejection too. The property delivers and completes as
    /// ``isExecuting`` does.
    public var isEnabled: ReadOnlyProperty<Bool> {
        core.property(core.signals.isEnabled) { _, isEnabled in isEnabled }
    }

    /// The executions admitted from now on. Each is a signal of its values, which completes when the execution ends in
    /// any way.
    ///
    /// An execution is sent before its work begins. A later subscriber of it receives its last 16 values. Like the
    /// command's other signals, it sends where the command delivers, and completes when the command ends.
    public var executions: Signal<Signal<Output, Never>, Never> {
        core.observing(\.executions, core.signals.executions) { $0 }
    }

    /// The values of the executions, and a completion or a failure for each, as values. A cancelled execution sends
    /// neither.
    public var events: Signal<Event<Output, Failure>, Never> {
        core.observing(\.events, core.signals.events) { $0 }
    }

    /// The values of all executions, from now on.
    public var values: Signal<Output, Never> {
        core.observing(\.events, core.signals.events) { if case .value(let value) = $0 { value } else { nil } }
    }

    /// The failures of all executions, as values. They include failures of executions that began before the
    /// subscription, but no rejections and no cancellations.
    public var errors: Signal<Failure, Never> {
        core.observing(\.events, core.signals.events) { event in
            if case .ended(.failed(let failure)) = event { failure } else { nil }
        }
    }

    /// A value for each execution that completes from now on.
    public var completions: Signal<Void, Never> {
        core.observing(\.events, core.signals.events) { if case .ended(.completed) = $0 { () } else { nil } }
    }

    /// The reason of each rejection from now on. Executions that are still waiting when the command ends are reported
    /// too.
    public var rejections: Signal<Rejection, Never> {
        core.observing(\.rejections, core.signals.rejections) { $0 }
    }
}
