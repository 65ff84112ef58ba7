// SPDX-License-Identifier: MIT
import Synchronization

/// The failure of an operation whose result may be discarded. Releasing it reports the failure, unless something has
/// received it.
///
/// The result and its signals retain it. So a result that is stored reports nothing while it may still be observed, and
/// a discarded one reports as soon as the operation has failed. It is created when the operation fails. Any thread may
/// use it.
@usableFromInline
package final class UnobservedFailure<Failure: Error>: Sendable {
    private let failure: Failure
    private let reported: any Error
    private let operation: StaticString
    private let isObserved: Atomic<Bool>

    /// - Parameters:
    ///   - failure: The failure, as a subscriber of the result receives it.
    ///   - reported: The error to report, if it is another one.
    ///   - operation: The operation, as a caller writes it.
    ///   - isObserved: Whether something else has received the failure, or reports it.
    package init(
        _ failure: Failure,
        reporting reported: (any Error)? = nil,
        of operation: StaticString,
        isObserved: Bool = false
    ) {
        self.failure = failure
        self.reported = reported ?? failure
        self.operation = operation
        self.isObserved = Atomic(isObserved)
    }

    deinit {
        if !isObserved.load(ordering: .acquiring) { UnhandledFailure.report(reported, of: operation) }
    }

    /// Returns the failure to something that handles it. Releasing this object then reports nothing.
    @discardableResult
    @usableFromInline
    package func observe() -> Failure {
        isObserved.store(true, ordering: .releasing)
        return failure
    }
}
