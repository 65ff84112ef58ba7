// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// The part of a loop that all back ends share. It controls access to the state, and accepts work.
///
/// The loop has three kinds of fields:
///
/// - `state`: only the thread that holds the state may access it. `lifecycle` records which thread that is.
/// - `inbox`: any thread may use it, under its lock.
/// - `wakeup`, `endRequest` and `hosting`: any thread may use them. They synchronize their own state.
///
/// `LoopCore+Turn.swift` shows one turn.
final class LoopCore: ScheduledWorkQueue {
    let name: String
    let clock: any LoopClock
    let thread: LoopThread
    let identity: LoopIdentity
    let mark: CurrentScheduler.Mark
    let wakeup: Wakeup
    let state: UnsafeTransfer<LoopState>
    let inbox = Lock(Inbox())
    /// Whether the run must end. `lifecycle` also records a disposal, but this field can be read without a lock.
    let endRequest = Atomic<EndRequest>(.none)
    let lifecycle: Lock<Lifecycle>
    let afterDisposal: FallbackExecutor
    /// What is called when the loop is disposed.
    let disposalHandlers = DisposalHandlers()
    let hosting = Hosting()
    let ownedThread = Lock<SystemThread?>(nil)
    let forkGeneration = ThreadIdentity.forkGeneration
    let nativeAddress: UInt
    let pollDescriptor: Int32?
    /// The simulated host on which the loop runs. nil for a loop on the real system.
    let system: (any EventSystem)?
    /// The reason why the loop could not be created. The loop refuses every call with this error. `nil` means that the
    /// loop was created.
    let failure: LoopError?
    /// The record of the leak check during which the loop was created. `nil` means that there was none, or that this is
    /// a main loop.
    let leakRecord: LeakScope.LoopRecord?
    /// How long to busy-poll before a wait, in nanoseconds. 0 means not at all.
    let spinLimit = Atomic<Int64>(0)
    /// The thread that runs the loop, or 0 if the loop does not run.
    let runningThread = Atomic<UInt>(0)
    /// Whether the loop waits in its poller. While it waits, only callbacks of the C library run, and they must not
    /// call the poller. A watchdog reads it too.
    let phase = TurnPhase()
    /// The kernel's number of the thread of the last run. A watchdog captures the stack of this thread.
    let kernelThread = Atomic<Int32>(0)
    /// The number of watchdogs that observe the loop.
    let watchdogs = Atomic<Int>(0)

    init(
        name: String,
        thread: LoopThread,
        clock: any LoopClock,
        hostAddress: UInt = 0,
        system: (any EventSystem)? = nil,
        poller: sending AnyPoller
    ) throws(LoopError) {
        self.name = name
        self.clock = clock
        self.thread = thread
        identity = LoopIdentity(isMain: thread == .main)
        mark = identity.mark
        // A thread that is not part of the simulation may submit the job, so the threads are looked up here.
        let threads = system == nil ? nil : SimulatedProcess.current?.threads
        afterDisposal = FallbackExecutor(identity, name: name, threads: threads)
        lifecycle = Lock(Lifecycle(isOwned: thread == .owned))
        nativeAddress = hostAddress != 0 ? hostAddress : unsafe UInt(bitPattern: poller.nativeHandle)
        pollDescriptor = poller.pollDescriptor
        failure = nil
        self.system = system
        wakeup = try Wakeup(on: system)
        do {
            try poller.register(wakeup.descriptor.descriptor, .read, token: Token.wake)
            // The first wait with a deadline may allocate kernel memory. Here a failure can be thrown; in a run it
            // would be fatal (rule E4).
            if let clock = clock as? MonotonicClock {
                try poller.wait(until: .at(clock.now)) { _, _ in }
                try poller.wait(until: .now) { _, _ in }
            }
        } catch {
            wakeup.close()
            throw error
        }
        state = UnsafeTransfer(LoopState(poller, isSimulated: system != nil))
        leakRecord = thread == .main ? nil : LeakScope.recordLoop(name)
    }

    /// Creates a substitute for a main loop that could not be created. It has no descriptor, and is disposed from the
    /// start.
    init(refusingWith failure: LoopError) {
        name = "main"
        clock = MonotonicClock()
        thread = .main
        identity = LoopIdentity(isMain: true)
        mark = identity.mark
        afterDisposal = FallbackExecutor(identity, name: name)
        lifecycle = Lock(Lifecycle(isOwned: false))
        nativeAddress = 0
        pollDescriptor = nil
        system = nil
        self.failure = failure
        leakRecord = nil
        wakeup = Wakeup(.none)
        state = UnsafeTransfer(LoopState(AnyPoller()))
        lifecycle.withLock { lifecycle in lifecycle.finishDisposal() }
        endRequest.store(.disposal, ordering: .releasing)
        _ = inbox.withLock { inbox in inbox.close() }
        disposalHandlers.run(isLast: true)
        afterDisposal.begin()
    }

    /// The tokens of registrations that are not in the descriptor table. No descriptor has one of these tokens.
    enum Token {
        static let wake = UInt64.max
        static let mainQueue = UInt64.max - 1
        /// The token of `LoopState.hostTimer`. That timer only makes the host run a turn, and the turn re-arms it.
        static let hostTimer = UInt64.max - 2
        static let pollTimer = TimerDescriptor.pollToken
    }
}

/// Which thread may access the loop's state. ``Lifecycle`` records it.
extension LoopCore {
    /// Whether the calling thread runs the loop.
    var isRunningHere: Bool { runningThread.load(ordering: .relaxed) == ThreadIdentity.current }

    /// Whether this thread holds the state: in a turn, in a borrow, or at the beginning of `takeDown`.
    var isHeldHere: Bool { lifecycle.withLock { lifecycle in lifecycle.isHeld(by: ThreadIdentity.current) } }

    /// The number of turns that have begun. Outside the loop's own work, the value is 0.
    var turn: UInt64 { isRunningHere ? state.value.turn : 0 }

    /// Runs `body` with the loop's state. The caller must be on the loop's thread, unless the loop does not run.
    func withState<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        if isForked { throw error(.forked, operation) }
        if isRunningHere { return try body(state.value) }
        // Between two turns no thread holds the state of a guest, but the guest still belongs to the host's thread.
        if !isWithHost { throw error(isDisposed ? .disposed : .wrongThread, operation) }
        let thread = ThreadIdentity.current
        while true {
            switch lifecycle.withLock({ lifecycle in lifecycle.borrow(on: thread) }) {
            case .alreadyHeld: return try body(state.value)
            case .tryAgain: ThreadIdentity.yield()
            case .refused(let code): throw error(code, operation)
            case .granted:
                state.value.beginDeferring()
                defer {
                    if hosting.takesOverBetweenRuns { leaveToYieldingHost(state.value) }
                    let released = state.value.endDeferring()
                    releaseStateOrTakeDown()
                    for released in released { released.release() }
                }
                return try body(state.value)
            }
        }
    }

    /// Like ``withState(_:_:)``, for code that calls the poller. Throws `wrongThread` inside the poller's wait, where
    /// only callbacks of the C library run. The poller must not be called there.
    func withPoller<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        try withState(operation) { (state) throws(LoopError) in
            if phase.isWaiting {
                throw LoopError(
                    .wrongThread,
                    "\(operation) on loop \(name) failed: it was called in a C callback; call this in work (execute)"
                )
            }
            return try body(state)
        }
    }

    /// Whether this process is a forked child of the process that created the loop. In a child, the kernel's part of
    /// the poller belongs to the parent. Threads that the child does not have may hold the loop's locks forever.
    /// Therefore every entry point checks this first (rule F3).
    @inline(__always)
    var isForked: Bool { forkGeneration != ThreadIdentity.forkGeneration }

    /// Like ``withState(_:_:)``, for calls that are documented to trap on the wrong thread. After disposal, and in a
    /// forked child, it calls `body` even though the caller does not hold the state.
    func requireState<Result>(_ operation: String, _ body: (LoopState) -> Result) -> Result {
        do {
            return try withState(operation) { state in body(state) }
        } catch {
            if error.code == .disposed || error.code == .forked { return body(state.value) }
            trap("this handle cannot be used here: \(error)")
        }
    }

    /// Ends a run or a call that held the state. If the loop has been disposed meanwhile, takes it down.
    func releaseStateOrTakeDown() {
        if lifecycle.withLock({ lifecycle in lifecycle.end() }) { takeDown() }
    }
}

extension LoopCore {
    /// Returns the error for an operation that the loop refuses. The message states the reason and a remedy.
    func error(_ code: LoopError.Code, _ operation: String) -> LoopError {
        let failed = "\(operation) on loop \(name) failed"
        return switch code {
        case .alreadyRunning where thread == .owned:
            LoopError(code, "\(failed): the loop owns a thread that runs it; submit work to it, or dispose it")
        case .alreadyRunning: LoopError(code, "\(failed): the loop is already running")
        case .disposed, .forked: refused(operation)
        case .notMainThread: LoopError(code, "\(failed): the loop belongs to the main thread; call this there")
        case .runByHost: LoopError(code, "\(failed): the loop is a guest, so only its host runs it")
        case .wrongThread where thread == .host:
            LoopError(code, "\(failed): the loop belongs to its host's thread; call this there, or in work (execute)")
        case .wrongThread: LoopError(code, "\(failed): the loop runs on another thread; call this in work (execute)")
        default: LoopError(code, "\(failed): \(code)")
        }
    }

    /// Why the loop refuses all calls, or nil if it does not.
    var refusal: LoopError? {
        if isForked {
            let remedy = "call exec, or create a loop in the child"
            return LoopError(.forked, "the loop \(name) belongs to the parent process; \(remedy)")
        }
        if let failure {
            let message = "the loop \(name) could not be created: \(failure)"
            return LoopError(failure.code, errno: failure.errno, message)
        }
        return isDisposed ? .disposed(name) : nil
    }

    private func refused(_ operation: String) -> LoopError {
        var error = refusal ?? LoopError(.disposed, "the loop \(name) is being disposed")
        error.message = "\(operation) failed: \(error.message)"
        return error
    }
}

/// Accepts work from any thread.
extension LoopCore {
    func execute(_ work: __owned @escaping @Sendable () -> Void) {
        if isForked { return }
        // Moving the closure instead of copying it saves a retain and a release.
        var item: Inbox.Work? = .closure(consume work)
        let isOpen = inbox.withLock { inbox in inbox.take(&item) }
        if isOpen { wakeIfWaiting() }
    }

    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        if isForked { return DisposedHandle.shared }
        let scheduled = ScheduledWork(work, in: self)
        let isOpen = inbox.withLock { inbox in inbox.post(.scheduled(scheduled)) }
        if isOpen { wakeIfWaiting() } else { scheduled.dispose() }
        return scheduled
    }

    func enqueue(_ job: UnownedJob) {
        // In a forked child the job is dropped, because the thread pool that would run the rest of its task belongs to
        // the parent too.
        if isForked { return }
        let isOpen = inbox.withLock { inbox in inbox.post(.job(job)) }
        if isOpen { wakeIfWaiting() } else { afterDisposal.enqueue(job) }
    }

    func didCancelWork() {
        if isForked { return }
        inbox.withLock { inbox in inbox.didCancelWork() }
    }
}

/// Ends the loop's wait after a post or a change.
extension LoopCore {
    /// Ends the loop's wait, if it has announced one. Any thread may call this, after a post.
    func wakeIfWaiting() {
        guard wakeup.isAwaited, !isForked else { return }
        wakeup.end { if hosting.calls == .needed { callHost() } }
    }

    /// C callbacks of the library run inside the wait, which began with the old deadline. If such a callback changes
    /// the timers or `aliveCount`, end the wait (rule X3). The caller holds the state. Outside a wait it has no effect,
    /// because the next wait uses the new values.
    func wakeIfInsideWait(_ state: LoopState) {
        if phase.isWaiting { wakeIfWaiting() }
    }
}
