// SPDX-License-Identifier: MIT
public import ReactiveCore

/// Receives the results of one execution. Calls of the two closures may overlap, because another thread may cancel the
/// execution while it sends a value.
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
