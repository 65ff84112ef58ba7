// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals

extension Command {
    /// Whether an execution is under way.
    ///
    /// A read returns the current state. The state changes before the work begins, and before the subscriber of an
    /// execution receives its termination. A subscriber of the property receives the current state immediately, on the
    /// subscribing thread. It receives later changes as the command's ``CommandDelivery`` specifies. If one execution
    /// directly follows another, the state does not change. The property completes when the command ends.
    public var isExecuting: ReadOnlyProperty<Bool> {
        core.property(core.signals.isExecuting) { isExecuting, _ in isExecuting }
    }

    /// Whether the command would accept a new execution now, to begin or to wait.
    ///
    /// It is true while the condition is true, the strategy has room for another execution, and the command has not
    /// ended. Another thread may change the state before you act on it, so handle a rejection too. The property
    /// delivers and completes as ``isExecuting`` does.
    public var isEnabled: ReadOnlyProperty<Bool> {
        core.property(core.signals.isEnabled) { _, isEnabled in isEnabled }
    }

    /// The executions admitted after the subscription. Each one is a signal of its values, which completes when the
    /// execution completes, fails or is cancelled.
    ///
    /// An execution is sent before its work begins. If you subscribe to it later, you receive its last 16 values. Like
    /// the command's other signals, `executions` sends as the command's ``CommandDelivery`` specifies, and completes
    /// when the command ends.
    public var executions: Signal<Signal<Output, Never>, Never> {
        core.observing(\.executions, core.signals.executions) { $0 }
    }

    /// The values of all executions, and the completion or failure of each, as `Event` values. A
    /// cancelled execution sends no termination.
    public var events: Signal<Event<Output, Failure>, Never> {
        core.observing(\.events, core.signals.events) { $0.observe() }
    }

    /// The values that all executions send after the subscription.
    public var values: Signal<Output, Never> {
        core.observing(\.events, core.signals.events) { if case .value(let value) = $0.event { value } else { nil } }
    }

    /// The failures of all executions, as values. They include failures of executions that began before the
    /// subscription, but no rejections and no cancellations.
    public var errors: Signal<Failure, Never> {
        core.observing(\.events, core.signals.events) { noted in
            if case .ended(.failed(let failure)) = noted.observe() { failure } else { nil }
        }
    }

    /// One value for each execution that completes after the subscription.
    public var completions: Signal<Void, Never> {
        core.observing(\.events, core.signals.events) { if case .ended(.completed) = $0.event { () } else { nil } }
    }

    /// The reason of each rejection after the subscription. If executions still wait when the command ends, their
    /// rejections are sent too.
    public var rejections: Signal<Rejection, Never> {
        core.observing(\.rejections, core.signals.rejections) { $0 }
    }
}
