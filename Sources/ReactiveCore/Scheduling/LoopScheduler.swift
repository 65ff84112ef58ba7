// SPDX-License-Identifier: MIT
/// A scheduler that is an event loop: it waits for descriptors, process signals and deadlines, and runs callbacks.
///
/// A loop runs in turns. A turn runs the work that was submitted before the turn began, then calls the watches of ready
/// descriptors, then fires the due timers (rule S4, Docs/Contract.md). Work and timers that are submitted during a turn
/// run in a later turn (S3, S12). At most one thread at a time runs a loop.
///
/// A loop is also an executor of actors and tasks. It never drops a job, because the job's task would wait forever. A
/// job that is enqueued after disposal runs on a separate thread (X7). Only a forked child drops jobs (F3).
public protocol LoopScheduler: TimedScheduler, Disposable, SerialExecutor, TaskExecutor {
    /// The loop's name, for messages. It need not be unique.
    var name: String { get }

    /// The number of turns that have begun. Callbacks that read the same number run in the same turn. Outside the
    /// loop's own work, the value is 0.
    var turn: UInt64 { get }

    /// Runs the loop on the calling thread until ``stop()`` or disposal. It waits while there is nothing to do.
    ///
    /// - Throws: `alreadyRunning` if a thread already runs the loop, or the loop owns a thread that runs it (R7);
    ///   `notMainThread` if the loop belongs to the main thread and the caller is on another one; `runByHost` if
    ///   another loop hosts this one as a guest; `disposed` (D5); `forked` (F1); `systemCall` if the wait fails. A
    ///   refused call does not change the loop.
    func run() throws(LoopError)

    /// Runs the loop on the calling thread until no work, timer, watch or signal handler keeps it alive, or until
    /// ``stop()`` (R1, R10).
    ///
    /// - Throws: The errors of ``run()``.
    func runUntilIdle() throws(LoopError)

    /// Runs one turn on the calling thread without waiting, or runs turns until a callback has run (R8).
    ///
    /// - Parameter waiting: Whether to wait, and to run further turns, until a callback has run.
    /// - Throws: The errors of ``run()``.
    func runOnce(waiting: Bool) throws(LoopError)

    /// Ends the current run after the current callback. The next run continues with the remaining work (R2, R9).
    ///
    /// Any thread may call it, and it wakes a waiting loop (R5). If the loop does not run, the next run is one turn
    /// that does not wait (R4). It has no effect on a loop that owns its thread, or on a guest. Dispose such a loop
    /// instead.
    func stop()

    /// Calls `ready` on the loop whenever `descriptor` is ready for `interest`, until the result is disposed.
    ///
    /// Call it on the loop's thread, or while the loop does not run. The loop calls `ready` for the first time in a
    /// later turn (S12).
    ///
    /// - Watches are level-triggered: while data is unread, `ready` is called once per turn (N2). A call may be
    ///   spurious, so handle `EAGAIN`.
    /// - Several watches of one descriptor are independent (N3).
    /// - A watch does not own its descriptor. The descriptor should be nonblocking. The watch leaves its flags
    ///   unchanged (N1). libuv makes it nonblocking for a moment during this call.
    /// - A watch keeps the loop alive unless its `keepsLoopAlive` is false.
    ///
    /// Dispose all watches of a descriptor before you close it. After `dispose()` on the loop's thread, `ready` is not
    /// called any more, and you may close the descriptor immediately (D1, D6). After `dispose()` on another thread, the
    /// loop may still call a callback that it has already dequeued. There are two cases (D7):
    ///
    /// - If that callback uses the descriptor, or if the descriptor has a duplicate, let the loop close it:
    ///   `loop.execute { close(descriptor) }`.
    /// - In all other cases you may close the descriptor immediately.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor that the system can wait for.
    ///   - interest: The readiness to watch for. An empty interest reports nothing.
    ///   - ready: Called on the loop with the readiness of the descriptor.
    /// - Returns: The watch. It can change the interest, and its disposal ends the calls.
    /// - Throws: `wrongThread` on another thread while the loop runs; `badDescriptor` if the number is negative, not
    ///   open, or of a kind that the system cannot wait for, such as a regular file (N21); `disposed`; `forked`;
    ///   `systemCall` if the system or the library refuses.
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch

    /// Calls `handler` on the loop after the process has received `signal`, until the result is disposed.
    ///
    /// Call it on the loop's thread, or while the loop does not run. `handler` is called in a turn, never in the
    /// context of the signal. Several arrivals before a turn may cause one call (G2).
    ///
    /// Any number of handlers, on any number of loops, may listen to one signal (G3, G4). The first handler replaces
    /// the signal's disposition, and disposing the last handler restores it. A handler keeps the loop alive only if you
    /// set its `keepsLoopAlive` to true.
    ///
    /// - Throws: `badSignal` if there is no such signal or it cannot be caught; `wrongThread` on another thread while
    ///   the loop runs; `disposed`; `forked`; `systemCall` if the system refuses, or if the process has too many
    ///   handlers.
    func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> any LoopHandle

    /// Calls `work` once when the loop is disposed, unless the result is disposed first.
    ///
    /// The thread that takes the loop down calls it: for a guest that is the thread of its host. By then the last
    /// callback has returned, the watches are removed, and nothing of the loop is borrowed, so `work` may call anything
    /// (D8). Several closures are called in the order in which they were registered. The closures of work, timers and
    /// watches are released after that.
    ///
    /// - A closure that is registered during the disposal joins the others. A later one is called on the caller's
    ///   thread, before this method returns. A `main` loop that could not be created counts as disposed.
    /// - In a forked child `work` is released, and never called (F3).
    /// - A registration neither keeps the loop alive nor retains it. The loop retains `work`, so let `work` capture
    ///   weakly what must not live as long.
    ///
    /// Any thread may call it and dispose the result, also during the disposal. A disposal on another thread does not
    /// wait: `work` may just be running.
    func onDispose(_ work: @escaping @Sendable () -> Void) -> any Disposable
}
