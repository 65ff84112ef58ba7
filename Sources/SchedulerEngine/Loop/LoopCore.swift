import ReactiveCore
import ReactiveSupport
import Synchronization

/// The one loop that every back end shares: who may touch what, and how work gets in.
///
/// Three kinds of state: `state` belongs to whoever holds the loop, as `lifecycle` says; `inbox` is open to every thread,
/// under its lock; `isWaiting` and `isStopRequested` are flags. How a turn goes is in `LoopCore+Turn.swift`.
final class LoopCore: ScheduledWorkQueue {
    let name: String
    let clock: any LoopClock
    let thread: LoopThread
    let identity: LoopIdentity
    let mark: CurrentScheduler.Mark
    let wake: WakeDescriptor
    let state: Confined<LoopState>
    let inbox = Lock(Inbox())
    /// Set by the loop before it waits, cleared by whoever wakes it: one wake-up for any number of posts (rule X4).
    let isWaiting = Atomic<Bool>(false)
    let isStopRequested = Atomic<Bool>(false)
    /// As the life cycle says, for those who only ask: several times for each connection. Set under its lock.
    let isDisposeRequested = Atomic<Bool>(false)
    let lifecycle: Lock<Lifecycle>
    let afterDisposal: FallbackExecutor
    let host = Lock<(any LoopHost)?>(nil)
    /// Whether somebody else's loop takes over where our own run is over.
    let hasYieldingHost = Atomic<Bool>(false)
    /// Whether a post may have to call the host. The running thread clears it for the length of the loop's own run. It stays false
    /// once the host watches the loop's descriptor, which the host never stops doing, so no thread can read an old value.
    let mayCallHost = Atomic<Bool>(false)
    let ownedThread = Lock<SystemThread?>(nil)
    let forkGeneration: UInt32
    let nativeAddress: UInt
    let pollDescriptor: Int32?
    /// Why the loop could not be made; it then refuses everything with this. Nil on any other loop.
    let failure: LoopError?
    /// How long to look for something to do before a wait, in nanoseconds; 0 for not at all.
    let spinLimit = Atomic<Int64>(0)
    /// The thread that is running the loop, 0 while there is none.
    let runningThread = Atomic<UInt>(0)
    /// Of a guest: the thread that took the last turn; 0 before the first.
    let hostThread = Atomic<UInt>(0)
    /// The thread that made the loop: a guest's host until the first turn.
    let maker = ThreadIdentity.current
    /// Threads that are about to write to `wake`, which is not closed under them.
    let wakers = Atomic<Int>(0)

    init(
        name: String,
        thread: LoopThread,
        clock: any LoopClock,
        hostHandle: UnsafeMutableRawPointer? = nil,
        poller: sending AnyPoller
    ) throws(LoopError) {
        self.name = name
        self.clock = clock
        self.thread = thread
        identity = LoopIdentity()
        mark = identity.mark
        afterDisposal = FallbackExecutor(identity, name: name)
        forkGeneration = ThreadIdentity.forkGeneration
        lifecycle = Lock(Lifecycle(isOwned: thread == .owned))
        nativeAddress = UInt(bitPattern: hostHandle ?? poller.nativeHandle)
        pollDescriptor = poller.pollDescriptor
        failure = nil
        wake = try WakeDescriptor()
        do {
            try poller.register(wake.descriptor, .read, token: Token.wake)
            // A poller's first deadline may take kernel memory, and the run that waits for it could only break down (rule E4).
            if let clock = clock as? MonotonicClock {
                try poller.wait(until: .at(clock.now)) { _, _ in }
                try poller.wait(until: .now) { _, _ in }
            }
        } catch {
            wake.close()
            throw error
        }
        state = Confined(LoopState(poller))
    }

    /// Makes the main thread's loop where the system has nothing left for one: it has no descriptor, and is disposed.
    init(refusingWith failure: LoopError) {
        name = "main"
        clock = MonotonicClock()
        thread = .main
        identity = LoopIdentity()
        mark = identity.mark
        afterDisposal = FallbackExecutor(identity, name: name)
        forkGeneration = ThreadIdentity.forkGeneration
        lifecycle = Lock(Lifecycle(isOwned: false))
        nativeAddress = 0
        pollDescriptor = nil
        self.failure = failure
        wake = .none
        state = Confined(LoopState(AnyPoller()))
        lifecycle.withLock { lifecycle in lifecycle.disposed() }
        isDisposeRequested.store(true, ordering: .releasing)
        _ = inbox.withLock { inbox in inbox.close() }
    }

    /// Tokens that stand for no entry of the table: no descriptor has these numbers.
    enum Token {
        static let wake = UInt64.max
        static let mainQueue = UInt64.max - 1
        /// Its readiness is what it is for: the turn that it brings sets it anew.
        static let deadline = UInt64.max - 2
    }

    // MARK: Getting in

    func execute(_ work: __owned @escaping @Sendable () -> Void) {
        if isForked { return }
        // Handed over, not copied: a retain and a release would be a sixth of a hop.
        var piece: Inbox.Work? = .closure(consume work)
        let isOpen = inbox.withLock { inbox in inbox.take(&piece) }
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
        // The pool that the job's task would go on with is the parent's too.
        if isForked { return }
        let isOpen = inbox.withLock { inbox in inbox.post(.job(job)) }
        if isOpen { wakeIfWaiting() } else { afterDisposal.enqueue(job) }
    }

    func schedule(
        at deadline: LoopInstant,
        repeating repetition: Repetition?,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        if isForked { return DisposedHandle.shared }
        let entry = TimerEntry.make(self, at: deadline, repeating: repetition, options: options, work)
        if isRunningHere {
            state.value.arm(entry)
            didChangeWait()
        } else if !(hasYieldingHost.load(ordering: .relaxed) && armBetweenRuns(entry)) {
            entry.willPost()
            if inbox.withLock({ inbox in inbox.post(.arm(entry)) }) {
                wakeIfWaiting()
            } else {
                entry.end(wasTaken: false)
            }
        }
        return entry
    }

    /// Sets a timer of a loop that somebody else's takes over between its runs, where nobody runs it now: nobody has to be woken, whose
    /// waking would pass for a callback of the next run's (rule R8).
    @inline(never)
    private func armBetweenRuns(_ entry: TimerEntry) -> Bool {
        guard runningThread.load(ordering: .relaxed) == 0, !isDisposed, !isHeldHere else { return false }
        let isArmed = try? withState("schedule") { state in
            // Those before it stay before it.
            guard inbox.withLock({ inbox in inbox.timerChanges.isEmpty }) else { return false }
            state.arm(entry)
            return true
        }
        return isArmed ?? false
    }

    func disarm(_ entry: TimerEntry) {
        if isForked { return }
        if isRunningHere {
            state.value.disarm(entry)
            didChangeWait()
            return
        }
        // On a loop that nobody runs the state can be had at once; else it is the loop that takes the entry out.
        if (try? withState("dispose", { state in state.disarm(entry) })) != nil { return }
        if inbox.withLock({ inbox in inbox.post(.disarm(entry)) }) { wakeIfWaiting() }
    }

    /// A timer was disposed that the loop has yet to take from the inbox, where it finds out by itself.
    func didCancelPostedTimer() {
        if isForked { return }
        let released = inbox.withLock { inbox in inbox.didCancelTimer() }
        _ = consume released
    }

    func wakeIfWaiting() {
        guard isWaiting.load(ordering: .sequentiallyConsistent), !isForked else { return }
        wakers.add(1, ordering: .sequentiallyConsistent)
        if isWaiting.exchange(false, ordering: .sequentiallyConsistent) {
            wake.signal()
            if mayCallHost.load(ordering: .sequentiallyConsistent) { callHost() }
        }
        wakers.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// What the loop waits for may have changed. If a callback of the C library's run has changed it, a wait is about to begin or goes
    /// on with the old deadline: it ends (rule X3).
    func didChangeWait() {
        if isRunningHere, state.value.isPolling { wakeIfWaiting() }
    }

    func didCancelWork() {
        if isForked { return }
        inbox.withLock { inbox in inbox.didCancelWork() }
    }

    // MARK: Holding the state

    /// Whether this thread is the one that runs the loop.
    var isRunningHere: Bool { runningThread.load(ordering: .relaxed) == ThreadIdentity.current }

    /// How many turns have begun, for the loop's own work; 0 for anybody else.
    var turn: UInt64 { isRunningHere ? state.value.turn : 0 }

    /// Runs `body` with the loop's state, on the loop's thread or on a loop that nobody runs.
    func withState<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        if isForked { throw error(.forked, operation) }
        if isRunningHere { return try body(state.value) }
        // Between a host's turns the state is free; whose it is does not depend on that.
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
                    if hasYieldingHost.load(ordering: .relaxed) { leaveToYieldingHost(state.value) }
                    let released = state.value.endDeferring()
                    endHolding()
                    for released in released { released.release() }
                }
                return try body(state.value)
            }
        }
    }

    /// The same for what has to speak to the poller, which must not be called from inside its own wait: there only
    /// callbacks of the C library's run.
    func withPoller<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        try withState(operation) { (state) throws(LoopError) in
            if state.isPolling {
                throw LoopError(
                    .wrongThread,
                    "\(operation) on loop \(name): a callback of the C library's is running; call this from the loop's own work (execute)"
                )
            }
            return try body(state)
        }
    }

    /// Whether this is a child of the process that made the loop. The kernel's side of the poller is still the parent's, and the
    /// loop's locks may be held for good by threads that only the parent has. So every entry asks this first (rule F3).
    @inline(__always)
    var isForked: Bool { forkGeneration != ThreadIdentity.forkGeneration }

    /// The same for what is documented to trap on the wrong thread. A loop that is over lets its entries be read.
    func requireState<Result>(_ operation: String, _ body: (LoopState) -> Result) -> Result {
        do {
            return try withState(operation) { state in body(state) }
        } catch {
            if error.code == .disposed || error.code == .forked { return body(state.value) }
            preconditionFailure("\(error)")
        }
    }

    func endHolding() {
        if lifecycle.withLock({ lifecycle in lifecycle.end() }) { takeDown() }
    }

    func error(_ code: LoopError.Code, _ operation: String) -> LoopError {
        switch code {
        case .alreadyRunning where thread == .owned:
            LoopError(code, "\(operation) on loop \(name): the loop owns a thread that runs it until it is disposed")
        case .alreadyRunning: LoopError(code, "\(operation) on loop \(name): it is running already")
        case .disposed:
            if let failure {
                LoopError(
                    failure.code,
                    errno: failure.errno,
                    "\(operation) on loop \(name): it could not be made: \(failure)"
                )
            } else {
                LoopError(code, "\(operation) on loop \(name): it has been disposed")
            }
        case .notMainThread:
            LoopError(code, "\(operation) on loop \(name): it is the main thread's and was called on another one")
        case .forked:
            LoopError(
                code,
                "\(operation) on loop \(name): it belongs to the parent process; call exec, or make a new loop in the child"
            )
        case .runByHost: LoopError(code, "\(operation) on loop \(name): it is a guest; its host runs it")
        case .wrongThread where thread == .host:
            LoopError(
                code,
                "\(operation) on loop \(name): it is its host's thread's; call this from there, or from the loop's own work (execute)"
            )
        case .wrongThread:
            LoopError(
                code,
                "\(operation) on loop \(name): it runs on another thread; call this from the loop's own work (execute)"
            )
        default: LoopError(code, "\(operation) on loop \(name): \(code)")
        }
    }
}
