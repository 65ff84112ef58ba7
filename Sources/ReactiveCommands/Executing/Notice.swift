public import ReactiveCore
public import ReactiveSignals

/// Something that the observers of a command are told, in the order in which it happened.
@usableFromInline
enum Notice<Output: Sendable, Failure: Error>: Sendable {
    case isExecuting(Bool)
    case isEnabled(Bool)
    case execution(Signal<Output, Never>)
    /// With the execution's copy for those who observe executions, and the count of its values that wait to be told.
    case event(Event<Output, Failure>, ReplaySubject<Output, Never>?, BackPressure?)
    /// An execution was broken off: no event, but the end of its copy.
    case breaking(ReplaySubject<Output, Never>)
    case rejection(Rejection)
    /// Somebody who begins to observe: what happened before is not for him.
    case arrival(@Sendable () -> Void)
    case end
}
