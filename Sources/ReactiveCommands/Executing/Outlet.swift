// SPDX-License-Identifier: MIT
public import ReactiveCore

/// Receives the results of one execution. Calls of the two closures may overlap, because another thread may cancel the
/// execution while it sends a value.
@usableFromInline
struct Outlet<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let onValue: @Sendable (Output) -> Void
    /// Receives the termination, and whether the command's observers receive a failure of the work.
    @usableFromInline
    let onTermination: @Sendable (Termination<CommandError<Failure>>, _ isFailureObserved: Bool) -> Void

    @inlinable
    init(
        onValue: @escaping @Sendable (Output) -> Void,
        onTermination: @escaping @Sendable (Termination<CommandError<Failure>>, _ isFailureObserved: Bool) -> Void
    ) {
        self.onValue = onValue
        self.onTermination = onTermination
    }
}
