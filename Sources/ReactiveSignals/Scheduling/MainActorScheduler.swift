public import ReactiveCore
import ReactiveSupport

/// Runs work on the main actor: at once where the caller is there already, otherwise as a task of the main actor's.
///
/// It has no clock. On a thread that runs no main actor, work waits until one does: a loop that owns the main thread, or
/// `dispatchMain()`. Used by `observe(on:)` it keeps order: what comes while something waits goes behind that, also where it
/// could run at once.
public final class MainActorScheduler: Scheduler {
    /// There is one main actor, and one scheduler for it.
    public static let shared = MainActorScheduler()

    private let mark = CurrentScheduler.Mark()

    private init() { mark.attach(self) }

    /// Whether the caller is work of this scheduler's; main-actor code that it has not started is not.
    public var isCurrent: Bool { mark.isCurrent }

    /// Runs `work` before it returns where the caller is on the main actor, otherwise later.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        Task.immediate { @MainActor in mark.run(work) }
    }

    /// Runs `work` as `execute` does, unless the result is disposed first.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let item = ScheduledWork(work)
        execute { item.run() }
        return item
    }
}

extension Signal {
    /// Starts sending to closures on the main actor; the compiler checks that they may be there.
    ///
    /// What is sent on the main actor is delivered at once, without a hop, unless something waits; from elsewhere it is
    /// queued, up to 128 values, and then the source is held back. Order is kept. After `dispose()` on the main actor
    /// nothing comes (law 1).
    @discardableResult
    public func subscribe(
        onMain onValue: @escaping @MainActor @Sendable (Value) -> Void,
        onTermination: @escaping @MainActor @Sendable (Termination<Failure>) -> Void = { _ in }
    ) -> SignalSubscription {
        observe(on: MainActorScheduler.shared).subscribe(
            onValue: { value in MainActor.assumeIsolated { onValue(value) } },
            onTermination: { termination in MainActor.assumeIsolated { onTermination(termination) } }
        )
    }
}
