// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// The termination of an operation without values, whose result may be discarded. If the operation fails and this
/// object is released without having been observed, it reports the failure to ``UnhandledFailure``.
///
/// The operation and the result's signals retain it. Any thread may use it.
package final class DiscardableOutcome<Failure: Error>: Sendable {
    private let subject = Subject<Never, Failure>()
    private let operation: StaticString

    /// - Parameter operation: The operation, as a caller writes it, such as `Connection.send(from:)`.
    package init(of operation: StaticString) {
        self.operation = operation
    }

    deinit {
        if subject.hasBeenObserved { return }
        // No other thread uses the broadcast any more, so its end can be read.
        if case .failed(let failure)? = subject.broadcast.value.end {
            UnhandledFailure.report(failure, of: operation)
        }
    }

    /// The termination, for any number of subscribers.
    package var signal: Signal<Never, Failure> {
        Signal(start: { [self] sink, subscription in
            subject.broadcast.value.add(sink, subscription, .unbounded)
        })
    }

    /// Sends the termination. Later calls do nothing.
    package func send(termination: Termination<Failure>) { subject.send(termination: termination) }

    /// Completes. Later calls do nothing.
    package func complete() { send(termination: .completed) }

    /// Fails. Later calls do nothing.
    package func fail(_ failure: Failure) { send(termination: .failed(failure)) }
}
