public import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    public var isCurrent: Bool { mark.isCurrent }

    public var now: LoopInstant { core.clock.now }

    public var turn: UInt64 { core.turn }

    public var isDisposed: Bool { core.isDisposed }

    public func execute(_ work: __owned @escaping @Sendable () -> Void) {
        core.execute(work)
    }

    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        core.schedule(work)
    }

    public func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        core.schedule(at: deadline, repeating: nil, options: options, work)
    }

    public func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        core.schedule(at: first, repeating: repetition, options: options, work)
    }

    public func run() throws(LoopError) {
        try core.run(.untilStopped, "run")
    }

    public func runUntilIdle() throws(LoopError) {
        try core.run(.untilIdle, "runUntilIdle")
    }

    public func runOnce(waiting: Bool) throws(LoopError) {
        try core.run(.once(waiting: waiting), "runOnce")
    }

    public func stop() {
        core.stop()
    }

    /// Ends the loop and gives back everything it holds: timers and work are dropped and let go of, watches and signal
    /// handlers end, descriptors of its own are closed (rule D3).
    ///
    /// A loop that is running ends when the callback that is running has returned (D4). Where the loop owns its thread this
    /// waits until the thread has ended, unless it is called on that thread. Twice is once.
    /// Two loops that dispose each other, each from its own thread, wait for each other for good.
    public func dispose() {
        core.dispose()
        core.joinThread()
    }

    public func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch {
        try core.watch(descriptor, for: interest, .closure(ready))
    }

    public func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> any LoopHandle {
        try core.onSignal(signal, handler)
    }
}
