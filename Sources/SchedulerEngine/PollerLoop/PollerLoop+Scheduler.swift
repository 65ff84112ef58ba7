// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Whether the caller is work of this loop (rule C1).
    public var isCurrent: Bool { mark.isCurrent }

    /// The current instant of the loop's clock. Each access reads the clock (rule T24). Any thread may read it.
    public var now: LoopInstant { core.clock.now }

    /// The number of turns that have begun. Outside the loop's own work, the value is 0.
    public var turn: UInt64 { core.turn }

    /// Whether the loop has been disposed. Any thread may read it.
    public var isDisposed: Bool { core.isDisposed || core.isForked }

    /// Runs `work` once, in a later turn, after all work submitted before it (rules S1–S3, X6).
    ///
    /// Any thread may call it. A disposed loop releases `work` without running it (X8), and so does a forked child
    /// (F3).
    public func execute(_ work: __owned @escaping @Sendable () -> Void) {
        core.execute(work)
    }

    /// Runs `work` once, in a later turn, after all work submitted before it, unless the result is disposed first.
    ///
    /// Any thread may call it. `Scheduler.schedule(_:)` describes a disposal by another thread. On a disposed loop, and
    /// in a forked child, the result is already disposed and `work` is released.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        core.schedule(work)
    }

    /// Runs `work` once at `deadline` or later, unless the result is disposed first. Any thread may call it.
    ///
    /// If the deadline has passed, the timer fires in the next turn (rules T4, T5). A timer for
    /// `LoopInstant.distantFuture` never fires. `TimedScheduler` describes a disposal by another thread. On a disposed
    /// loop, and in a forked child, the result is already disposed and `work` is released.
    @discardableResult
    public func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        core.schedule(at: deadline, repeating: nil, options: options, work)
    }

    /// Runs `work` at `first` and then repeatedly, as `repetition` says, until the result is disposed. It runs at most
    /// once per turn (rule T15).
    ///
    /// Any thread may call it. Otherwise the timer behaves like that of ``schedule(at:options:_:)``.
    public func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        core.schedule(at: first, repeating: repetition, options: options, work)
    }

    /// Calls `work` once when the loop is disposed, unless the result is disposed first. See `LoopScheduler.onDispose(_:)`.
    ///
    /// Any thread may call it. If the loop has been taken down, `work` is called before this method returns. In a forked
    /// child `work` is released (F3).
    public func onDispose(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        core.isForked ? DisposedHandle.shared : core.disposalHandlers.add(work)
    }

    /// Runs the loop on the calling thread until ``stop()`` or ``dispose()`` is called. It waits while there is nothing
    /// to do.
    ///
    /// After an earlier ``stop()``, the run is one turn that does not wait (rule R4).
    ///
    /// - Throws: `alreadyRunning` if the loop already runs, even if the call comes from the loop's own callback, or if
    ///   the loop owns its thread (R7). `notMainThread` if ``main`` is run on another thread. `runByHost` on a guest.
    ///   `disposed` if the loop was disposed before the call (D5). `forked` in a forked child, even if a callback of
    ///   this run has forked (F1). `systemCall` if the poller cannot wait, or cannot watch the main queue.
    public func run() throws(LoopError) {
        try core.run(.untilStopped, "run")
    }

    /// Runs the loop on the calling thread until no work, timer, watch or signal handler keeps it alive (rule R10), or
    /// until ``stop()`` or ``dispose()`` is called.
    ///
    /// - Throws: The errors of ``run()``.
    public func runUntilIdle() throws(LoopError) {
        try core.run(.untilIdle, "runUntilIdle")
    }

    /// Runs one turn without waiting, or runs turns until a callback has run (rule R8).
    ///
    /// - Parameter waiting: Whether to wait, and to run further turns, until a callback has run. ``stop()`` and
    ///   ``dispose()`` also end the wait.
    /// - Throws: The errors of ``run()``.
    public func runOnce(waiting: Bool) throws(LoopError) {
        try core.run(.once(waiting: waiting), "runOnce")
    }

    /// Ends the current run after the current callback (rules R2, R9). Any thread may call it, and it ends a wait (R5).
    ///
    /// Remaining work stays queued for the next run. If the loop does not run, the next run is one turn that does not
    /// wait (R4). The call has no effect on a loop that owns its thread, or on a guest.
    public func stop() {
        core.stop()
    }

    /// Disposes the loop and releases everything that it retains (rule D3). Any thread may call it. Later calls have no
    /// effect.
    ///
    /// Timers and work are dropped, watches and signal handlers end, and the loop closes its own descriptors. Then jobs
    /// of actors and tasks run on a separate thread (X7). A `deinit` that runs before must not wait for such a job.
    ///
    /// - A loop that does not run is disposed when the call returns. If another thread is inside a call of the loop, it is
    ///   disposed when that call returns.
    /// - A running loop ends its run after the current callback (D4), and is then disposed.
    /// - If the loop owns its thread, every call waits until that thread has ended, unless the caller is on that
    ///   thread. So two loops deadlock if each disposes the other from its own thread.
    /// - If a guest is disposed on another thread than its host's, the disposal takes effect when the host runs next.
    /// - In a forked child the call releases nothing (F1).
    public func dispose() {
        core.dispose()
        core.joinThread()
    }

    /// Calls `ready` on the loop whenever `descriptor` is ready for `interest`, until the result is disposed.
    ///
    /// Call it on the loop's thread, or while the loop does not run. The loop calls `ready` for the first time in a
    /// later turn (rule S12). `LoopScheduler.watch(_:for:_:)` explains when you may close the descriptor.
    ///
    /// - Throws: `wrongThread` on another thread while the loop runs, and in a C callback inside the loop's wait.
    ///   `badDescriptor` if the number is negative, not open, or of a kind that the system cannot wait for (N21).
    ///   `disposed`, `forked`. `systemCall` if the kernel or the library refuses, for example because memory is
    ///   exhausted.
    public func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch {
        try core.watch(descriptor, for: interest, .closure(ready))
    }

    /// Calls `handler` on the loop after the process has received `signal`, until the result is disposed (rules G2,
    /// G3).
    ///
    /// Call it on the loop's thread, or while the loop does not run. `handler` is called in a turn, never in the
    /// context of the signal. Several arrivals before a turn may cause one call.
    ///
    /// - Throws: `badSignal` if the signal does not exist or cannot be caught. `wrongThread` on another thread while
    ///   the loop runs, and in a C callback inside the loop's wait. `disposed`, `forked`. `systemCall` if no descriptor
    ///   is left, or if the process already has 256 handlers (`EMFILE`).
    public func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> any LoopHandle {
        try core.onSignal(signal, handler)
    }
}
