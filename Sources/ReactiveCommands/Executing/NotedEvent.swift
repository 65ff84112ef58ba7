// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals

/// An event of an execution, for the command's observers.
@usableFromInline
struct NotedEvent<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let event: Event<Output, Failure>
    /// The failure of an execution whose result may be discarded. A subscriber of `errors` or `events` observes it when
    /// it receives the event. If none does, for example because it has unsubscribed while the event was queued, the
    /// failure is reported.
    @usableFromInline
    let unobserved: UnobservedFailure<CommandError<Failure>>?

    @inlinable
    init(_ event: Event<Output, Failure>, _ unobserved: UnobservedFailure<CommandError<Failure>>?) {
        self.event = event
        self.unobserved = unobserved
    }

    /// Returns the event to an observer that also receives failures.
    func observe() -> Event<Output, Failure> {
        unobserved?.observe()
        return event
    }
}
