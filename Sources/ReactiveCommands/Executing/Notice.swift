// SPDX-License-Identifier: MIT
public import ReactiveSignals

/// A notification to a command's observers. Notices are queued in the order of the events.
@usableFromInline
enum Notice<Output: Sendable, Failure: Error>: Sendable {
    case isExecuting(Bool)
    case isEnabled(Bool)
    case execution(Signal<Output, Never>)
    /// A value or a termination, with the execution's signal for observers of `executions`, and the counter of its
    /// values that wait for delivery.
    case event(NotedEvent<Output, Failure>, ReplaySubject<Output, Never>?, BackPressure?)
    /// An execution was cancelled. There is no event, but its signal for observers of `executions` completes.
    case breaking(ReplaySubject<Output, Never>)
    case rejection(Rejection)
    /// A new observer, which receives no earlier notices.
    case arrival(@Sendable () -> Void)
    case end
}
