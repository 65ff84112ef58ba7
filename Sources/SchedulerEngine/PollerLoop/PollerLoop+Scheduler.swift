public import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Whether the caller is work of this loop (rule C1).
    public var isCurrent: Bool { mark.isCurrent }

    /// The present instant of the loop's clock, read afresh (rule T24). Any thread may read it.
    public var now: LoopInstant { core.clock.now }

    /// The number of turns that have begun. It is 0 for callers other than the loop's own work.
    public var turn: UInt64 { core.turn }

    /// Whether the loop has been disposed. Any thread may read it.
    public var isDisposed: Bool { core.isDisposed }

    /// Runs `work` once, in a later turn, after everything submitted before it (rules S1–S3, X6).
    ///
    /// Any thread may call it. A disposed loop releases `work` (rule X8). In a forked child the call does nothing (rule
    /// F3).
    public func execute(_ work: __owned @escaping @Sendable () -> Void) {
        core.execute(work)
    }

    /// Runs `work` once, in a later turn, after everything submitted before it, unless the result is disposed first.
    ///
    /// Any thread may call it. See `Scheduler.schedule(_:)` for what holds when another thread disposes the result. On a
    /// disposed loop, and in a forked child, the result is disposed already and `work` is released.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        core.schedule(work)
    }

    /// Runs `work` once at `deadline` or later, unless the result is disposed first. Any thread may call it.
    ///
    /// See `TimedScheduler` for what holds when another thread disposes the result. On a disposed loop, and in a forked
    /// child, the result is disposed already and `work` is released.
    public func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        core.schedule(at: deadline, repeating: nil, options: options, work)
    }

    /// Runs `work` at `first` and then as `repetition` says, at most once a turn (rule T15), until the result is disposed.
    ///
    /// Any thread may call it. The rest is as for a timer that fires once.
    public func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        core.schedule(at: first, repeating: repetition, options: options, work)
    }

    /// Runs the loop on the calling thread until ``stop()`` or ``dispose()``, waiting while there is nothing to do.
    ///
    /// - Throws: `alreadyRunning` if the loop runs already or owns its thread (rule R7); `notMainThread` for a main loop on
    ///   any other thread; `runByHost` on a guest; `disposed` (D5); `forked` (F1); `systemCall` if the wait itself fails.
    public func run() throws(LoopError) {
        try core.run(.untilStopped, "run")
    }

    /// Runs the loop on the calling thread until no work, timer or watch keeps it alive (rule R10), or until ``stop()``.
    ///
    /// - Throws: The errors of ``run()``.
    public func runUntilIdle() throws(LoopError) {
        try core.run(.untilIdle, "runUntilIdle")
    }

    /// Takes one turn. With `waiting`, it takes turns and waits until a callback has run; without, it never waits (rule
    /// R8).
    ///
    /// - Throws: The errors of ``run()``.
    public func runOnce(waiting: Bool) throws(LoopError) {
        try core.run(.once(waiting: waiting), "runOnce")
    }

    /// Ends the present run after the current callback (rules R2, R9). Any thread may call it (R5).
    ///
    /// Called while the loop does not run, it makes the next run one turn that does not wait (R4). It does nothing on a
    /// loop that owns its thread, and on a guest.
    public func stop() {
        core.stop()
    }

    /// Disposes the loop and releases everything it holds (rule D3). Timers and work are dropped, watches and signal
    /// handlers end, and the loop closes its own descriptors.
    ///
    /// A running loop ends its run after the current callback (D4). If the loop owns its thread, every call waits until
    /// that thread has ended, unless the caller is on it. So two loops that dispose each other, each from its own thread,
    /// deadlock. In a forked child the call releases nothing (F1).
    public func dispose() {
        core.dispose()
        core.joinThread()
    }

    /// Calls `ready` on the loop whenever `descriptor` is ready for `interest`, until the result is disposed.
    ///
    /// Call it on the loop's thread, or while the loop does not run. See `LoopScheduler.watch(_:for:_:)` for when the
    /// descriptor may be closed.
    ///
    /// - Throws: `wrongThread` on another thread while the loop runs; `badDescriptor` if the number is negative, not open,
    ///   or of a kind that the system cannot wait for (rule N21); `disposed`; `forked`; `systemCall`.
    public func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch {
        try core.watch(descriptor, for: interest, .closure(ready))
    }

    /// Calls `handler` on the loop after the process has received `signal`, until the result is disposed (rules G2, G3).
    ///
    /// Call it on the loop's thread, or while the loop does not run.
    ///
    /// - Throws: `badSignal` if there is no such signal or it cannot be caught; `wrongThread` on another thread while the
    ///   loop runs; `disposed`; `forked`; `systemCall`.
    public func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> any LoopHandle {
        try core.onSignal(signal, handler)
    }
}
