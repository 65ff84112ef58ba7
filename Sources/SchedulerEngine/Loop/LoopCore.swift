import ReactiveCore
import ReactiveSupport
import Synchronization

/// The one loop that every back end shares: who may touch what, and how work gets in.
///
/// It has three kinds of state. `state` belongs to the thread that holds the loop; `lifecycle` says which one that is. `inbox` is open to
/// every thread, under its lock. `wakeup`, `endRequest` and `hosting` are atomic. `LoopCore+Turn.swift` shows one turn.
final class LoopCore: ScheduledWorkQueue {
    let name: String
    let clock: any LoopClock
    let thread: LoopThread
    let identity: LoopIdentity
    let mark: CurrentScheduler.Mark
    let wakeup: Wakeup
    let state: UnsafeTransfer<LoopState>
    let inbox = Lock(Inbox())
    /// Whether the run has to end. A disposal is also in `lifecycle`; here it can be read without the lock.
    let endRequest = Atomic<EndRequest>(.none)
    let lifecycle: Lock<Lifecycle>
    let afterDisposal: FallbackExecutor
    let hosting = Hosting()
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

    init(
        name: String,
        thread: LoopThread,
        clock: any LoopClock,
        hostAddress: UInt = 0,
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
        nativeAddress = hostAddress != 0 ? hostAddress : unsafe UInt(bitPattern: poller.nativeHandle)
        pollDescriptor = poller.pollDescriptor
        failure = nil
        wakeup = try Wakeup()
        do {
            try poller.register(wakeup.descriptor.descriptor, .read, token: Token.wake)
            // A poller's first deadline may take kernel memory, and the run that waits for it could only break down (rule E4).
            if let clock = clock as? MonotonicClock {
                try poller.wait(until: .at(clock.now)) { _, _ in }
                try poller.wait(until: .now) { _, _ in }
            }
        } catch {
            wakeup.close()
            throw error
        }
        state = UnsafeTransfer(LoopState(poller))
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
        wakeup = Wakeup(.none)
        state = UnsafeTransfer(LoopState(AnyPoller()))
        lifecycle.withLock { lifecycle in lifecycle.disposed() }
        endRequest.store(.disposal, ordering: .releasing)
        _ = inbox.withLock { inbox in inbox.close() }
    }

    /// Tokens that stand for no entry of the table: no descriptor has these numbers.
    enum Token {
        static let wake = UInt64.max
        static let mainQueue = UInt64.max - 1
        /// Its readiness is what it is for: the turn that it brings sets it anew.
        static let deadline = UInt64.max - 2
    }
}
