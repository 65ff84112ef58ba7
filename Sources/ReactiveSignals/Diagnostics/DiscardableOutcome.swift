// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// The termination of an operation without values, whose result may be discarded. If the operation fails and this
/// object is released without having been observed, it reports the failure to ``UnhandledFailure``.
///
/// The operation and the result's signals retain it. Any thread may use it. `Connection.send(from:)` does not use it,
/// but the smaller `SourceOutcome`.
package final class DiscardableOutcome<Failure: Error>: Sendable {
    private let subject = Subject<Never, Failure>()
    private let operation: StaticString
    private let owner: Lock<(any AnyObject & Sendable)?>

    /// - Parameters:
    ///   - operation: The operation, as a caller writes it, such as `WebSocket.send(from:)`.
    ///   - owner: An object to retain until the termination has been delivered.
    package init(of operation: StaticString, keeping owner: (any AnyObject & Sendable)? = nil) {
        self.operation = operation
        self.owner = Lock(owner)
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
    package func send(termination: Termination<Failure>) {
        subject.send(termination: termination)
        release()
    }

    /// Releases the owner, because no termination follows.
    package func release() {
        // Released outside the lock, because the reference may be the last.
        let last = owner.withLock { owner in owner.take() }
        withExtendedLifetime(last) {}
    }

    /// Fails. Later calls do nothing.
    package func fail(_ failure: Failure) { send(termination: .failed(failure)) }
}
