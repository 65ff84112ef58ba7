// SPDX-License-Identifier: MIT
public import ReactiveCore

/// Receives the results of one execution. Calls of the two closures may overlap, because other threads may cancel the
/// execution.
@usableFromInline
struct Outlet<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let onValue: @Sendable (Output) -> Void
    @usableFromInline
    let onTermination: @Sendable (Termination<CommandError<Failure>>) -> Void

    @inlinable
    init(
        onValue: @escaping @Sendable (Output) -> Void,
        onTermination: @escaping @Sendable (Termination<CommandError<Failure>>) -> Void
    ) {
        self.onValue = onValue
        self.onTermination = onTermination
    }
}
