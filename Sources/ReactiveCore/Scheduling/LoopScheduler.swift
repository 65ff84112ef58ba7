/// A scheduler that is an event loop: it waits for descriptors, process signals and deadlines, and runs work between.
///
/// A loop takes turns. In each turn it runs, in this order: the work that had been given when the turn began; the
/// descriptors that are ready; the timers that are due (rule S4). What is given during a turn runs in a later one (S3,
/// S12). One loop runs on one thread at a time. It is an executor for actors and tasks too: a job is never dropped, after
/// disposal it runs, one at a time, on a thread made for it.
public protocol LoopScheduler: TimedScheduler, Disposable, SerialExecutor, TaskExecutor {
    /// What the loop is called in messages; it need not be unique.
    var name: String { get }

    /// How many turns it has begun. Two calls of the loop's own work are of one turn when it is the same; elsewhere it is 0.
    var turn: UInt64 { get }

    /// Takes turns on the calling thread until ``stop()``, waiting where there is nothing to do.
    ///
    /// - Throws: `alreadyRunning` where the loop runs already, here or on another thread, or owns a thread that runs it
    ///   (R7); `disposed` after disposal (D5); `notMainThread` for a loop of the main thread anywhere else. The loop is
    ///   as it was.
    func run() throws(LoopError)

    /// Takes turns until no work, no timer, no watch and no signal handler is left that keeps the loop alive, or until
    /// ``stop()`` (R1, R10).
    ///
    /// - Throws: the same as ``run()``.
    func runUntilIdle() throws(LoopError)

    /// Takes one turn. With `waiting` it waits until there is something to do, if there is nothing now (R8).
    ///
    /// - Throws: the same as ``run()``.
    func runOnce(waiting: Bool) throws(LoopError)

    /// Ends the present run after the callback that is running now; work that is left is kept for the next run (R2, R9).
    ///
    /// Any thread may call it; a loop that waits wakes up (R5). It is sticky: called while the loop does not run, it ends
    /// the next run after one turn that does not wait (R4). A loop that owns its thread ends by ``Disposable/dispose()``
    /// alone; there `stop()` does nothing.
    func stop()

    /// Calls `ready` on the loop whenever `descriptor` is ready for what `interest` says, until the result is disposed.
    ///
    /// Level-triggered: as long as data is left unread the call comes again, once a turn. A call may also come for
    /// nothing: be ready for `EAGAIN` (N2). Several watches of one descriptor are legal and independent (N3). The watch does
    /// not own the descriptor, which should not block (libuv sees to that itself). It keeps `runUntilIdle` waiting unless
    /// its `keepsLoopAlive` is set to false.
    ///
    /// Dispose all watches of a descriptor before you close it. On the loop's thread no call comes after `dispose()` has
    /// returned, and the descriptor may be closed at once (D1, D6). The same holds on another thread (D7), with two
    /// exceptions. A callback that the loop has taken already may still use the number, and a duplicate keeps the descriptor
    /// registered. In these cases close it in work that is submitted after the disposal: `loop.execute { close(descriptor) }`.
    ///
    /// - Throws: `wrongThread` off the loop's thread while it runs; `badDescriptor` for a number that is negative, closed
    ///   or that the system cannot wait for (a regular file; N21); `disposed`; `systemCall`.
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch

    /// Calls `handler` on the loop after the process has received `signal`, until the result is disposed.
    ///
    /// The call is made in a turn, never in signal context. Several arrivals before the turn may be one call (G2). Any
    /// number of handlers, on any number of loops, may listen to one signal (G3, G4); while there is one the signal's
    /// previous disposition is put aside, and with the last it returns. It does not keep `runUntilIdle` waiting unless
    /// its `keepsLoopAlive` is set to true.
    ///
    /// - Throws: `badSignal` for a number that is none, or one that cannot be caught; `wrongThread`; `disposed`;
    ///   `systemCall`.
    func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> any LoopHandle
}
