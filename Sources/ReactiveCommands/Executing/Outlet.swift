import ReactiveCore

/// Where one execution's results go. Calls of both may overlap: it is broken off by other threads than the one that it runs on.
@usableFromInline
struct Outlet<Output: Sendable, Failure: Error>: Sendable {
    let onValue: @Sendable (Output) -> Void
    let onTermination: @Sendable (Termination<CommandError<Failure>>) -> Void
}
