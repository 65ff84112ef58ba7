// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// A scheduler that runs work on the main actor: immediately if the caller is on it, otherwise as a task.
///
/// It has no clock. Work waits until a thread serves the main actor: a loop that owns the main thread, or
/// `dispatchMain()`. Exception: `observe(on:)` queues a value behind earlier values that still wait, even on the main
/// actor.
public final class MainActorScheduler: Scheduler {
    /// The main actor's only scheduler.
    public static let shared = MainActorScheduler()

    /// Leak checks ignore it, because it lives as long as the process.
    private let mark = CurrentScheduler.Mark(in: nil)

    private init() { mark.attach(self) }

    /// Whether the calling code runs as work of this scheduler. It is false in other code on the main actor.
    public var isCurrent: Bool { mark.isCurrent }

    /// Runs `work` before it returns if the caller is on the main actor, otherwise later.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        Task.immediate { @MainActor in mark.run(work) }
    }

    /// Runs `work` in a task of its own, even if the caller is on the main actor.
    fileprivate func enqueue(_ work: @escaping @Sendable () -> Void) {
        Task { @MainActor in mark.run(work) }
    }

    /// Runs `work` as `execute` does, unless the result is disposed before `work` begins.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let item = ScheduledWork(work)
        execute { item.run() }
        return item
    }
}

extension Scheduler {
    /// Submits the rest of a job. It begins after the job has returned, on the main actor too. So other work runs in
    /// between, and the stack does not grow (law 8).
    @usableFromInline
    package func executeLater(_ work: @escaping @Sendable () -> Void) {
        if self === MainActorScheduler.shared {
            MainActorScheduler.shared.enqueue(work)
        } else if let context = self as? ContextScheduler {
            context.executeRestLater(work)
        } else {
            execute(work)
        }
    }
}

extension Signal {
    /// Calls closures with the signal's events on the main actor. The compiler checks their isolation.
    ///
    /// Any thread may subscribe. Values that are sent on the main actor are delivered immediately, unless earlier ones
    /// wait. Values that are sent elsewhere are queued, and the source is paused when 128 are queued. Order is kept.
    /// After `dispose()` on the main actor, no event arrives ([law 1](doc:LawsOfSignals)).
    ///
    /// A signal that cannot fail needs no `onTermination`.
    ///
    /// - Returns: The subscription. Releasing it does not dispose it.
    @discardableResult
    public func subscribe(
        onMain onValue: @escaping @MainActor @Sendable (Value) -> Void,
        onTermination: @escaping @MainActor @Sendable (Termination<Failure>) -> Void
    ) -> SignalSubscription {
        let hopped = observe(on: MainActorScheduler.shared)
        // The hop comes after the operator that propagates, so the operator is applied once more.
        return ((origin as? Propagation<Value, Failure>)?.apply(hopped) ?? hopped).subscribe(
            onValue: { value in MainActor.assumeIsolated { onValue(value) } },
            onTermination: { termination in MainActor.assumeIsolated { onTermination(termination) } }
        )
    }
}

extension Signal where Failure == Never {
    /// Calls a closure with each value on the main actor. The signal cannot fail.
    ///
    /// Apart from that, it behaves like ``subscribe(onMain:onTermination:)``.
    ///
    /// - Returns: The subscription. Releasing it does not dispose it.
    @discardableResult
    public func subscribe(onMain onValue: @escaping @MainActor @Sendable (Value) -> Void) -> SignalSubscription {
        subscribe(onMain: onValue, onTermination: { _ in })
    }
}
