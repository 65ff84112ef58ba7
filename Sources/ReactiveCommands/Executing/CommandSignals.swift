// SPDX-License-Identifier: MIT
import ReactiveCore
public import ReactiveSignals

/// The signals that a command's observers subscribe to. Only the thread that currently notifies observers sends to
/// them.
@usableFromInline
final class CommandSignals<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let executions = Subject<Signal<Output, Never>, Never>()
    @usableFromInline
    let events = Subject<NotedEvent<Output, Failure>, Never>()
    @usableFromInline
    let rejections = Subject<Rejection, Never>()
    @usableFromInline
    let isExecuting = ObservedState()
    @usableFromInline
    let isEnabled = ObservedState()

    @inlinable
    func perform(_ notice: Notice<Output, Failure>) {
        switch notice {
        case .isExecuting(let value): isExecuting.report(value)
        case .isEnabled(let value): isEnabled.report(value)
        case .execution(let signal): executions.send(signal)
        case .event(let event, let copy, let backPressure):
            if let copy {
                if case .value(let value) = event.event { copy.send(value) } else { copy.complete() }
            }
            events.send(event)
            backPressure?.taken()
        case .breaking(let copy): copy.complete()
        case .rejection(let reason): rejections.send(reason)
        case .arrival(let arrive): arrive()
        case .end:
            executions.complete()
            events.complete()
            rejections.complete()
            isExecuting.end()
            isEnabled.end()
        }
    }
}
