public import ReactiveCore

/// Where one execution's results go. Calls of both may overlap: it is broken off by other threads than the one that it runs on.
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
