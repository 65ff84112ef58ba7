// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals

/// Receives the results of one execution. Calls of the two closures may overlap, because another thread may cancel the
/// execution while it sends a value.
@usableFromInline
struct Outlet<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias TerminationHandler =
        @Sendable (
            Termination<CommandError<Failure>>, _ unobserved: UnobservedFailure<CommandError<Failure>>?
        ) -> Void

    /// Whether the caller may discard the results. If nothing receives a failure of the work, it is reported.
    @usableFromInline
    let isDiscardable: Bool
    @usableFromInline
    let onValue: @Sendable (Output) -> Void
    /// Receives the termination. If it is a failure of the work and the results may be discarded, it also receives the
    /// object that reports the failure.
    @usableFromInline
    let onTermination: TerminationHandler

    @inlinable
    init(
        isDiscardable: Bool = false,
        onValue: @escaping @Sendable (Output) -> Void,
        onTermination: @escaping TerminationHandler
    ) {
        self.isDiscardable = isDiscardable
        self.onValue = onValue
        self.onTermination = onTermination
    }
}
