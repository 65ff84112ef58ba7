// SPDX-License-Identifier: MIT
public import ReactiveSignals

/// The results of executions, which their callers may discard. A failure of the work is reported as unhandled if
/// neither the result nor the command's `errors` or `events` are observed. A rejection and a cancellation are not.
///
/// `isObserved` says whether the command's observers receive the failure.
extension CommandCore {
    /// Returns the result of a function that has thrown.
    @usableFromInline
    func result(failing error: Failure, isObserved: Bool) -> Signal<Output, CommandError<Failure>> {
        if isObserved { return .fail(.failed(error)) }
        let failure = UnobservedFailure(CommandError.failed(error), reporting: error, of: "Command.execute")
        return Signal { emitter, _ in emitter.fail(failure.observe()) }
    }

    /// Fails the result of an execution.
    @usableFromInline
    func fail(
        _ result: ReplaySubject<Output, CommandError<Failure>>,
        _ failure: CommandError<Failure>,
        isObserved: Bool
    ) {
        if case .failed(let error) = failure, !isObserved {
            result.fail(failure, reporting: error, of: "Command.execute")
        } else {
            result.fail(failure)
        }
    }
}
