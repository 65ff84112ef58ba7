// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals

/// The results of executions, which their callers may discard. A failure of the work is reported as unhandled, unless
/// the result has a subscriber or a subscriber of the command's `errors` or `events` receives it. A rejection and a
/// cancellation are not reported.
///
/// The result and the notice for the command's observers share an ``UnobservedFailure``. So the failure is reported
/// when both have been released without having been received.
extension CommandCore {
    /// Removes a function's execution that has thrown an error. Returns its result.
    @usableFromInline
    func leaveFailing(_ error: Failure) -> Signal<Output, CommandError<Failure>> {
        let unobserved = unobserved(error)
        leave(throwing: error, unobserved)
        return Signal { emitter, _ in emitter.fail(unobserved.observe()) }
    }

    /// Returns the object that reports the failure, if `event` is one.
    @usableFromInline
    func unobserved(_ event: Event<Output, Failure>?) -> UnobservedFailure<CommandError<Failure>>? {
        if case .ended(.failed(let error)) = event { unobserved(error) } else { nil }
    }

    private func unobserved(_ error: Failure) -> UnobservedFailure<CommandError<Failure>> {
        UnobservedFailure(CommandError.failed(error), reporting: error, of: "Command.execute")
    }

    /// Terminates the result of an execution.
    @usableFromInline
    func end(
        _ result: ReplaySubject<Output, CommandError<Failure>>,
        _ termination: Termination<CommandError<Failure>>,
        _ unobserved: UnobservedFailure<CommandError<Failure>>?
    ) {
        if case .failed(let failure) = termination, let unobserved {
            result.fail(failure, unlessObserved: unobserved)
        } else {
            result.send(termination: termination)
        }
    }
}
