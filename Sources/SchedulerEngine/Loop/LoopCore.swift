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
    let hosting = Hosting()
    let ownedThread = Lock<SystemThread?>(nil)
    let forkGeneration: UInt32
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
        forkGeneration = ThreadIdentity.forkGeneration
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
        forkGeneration = ThreadIdentity.forkGeneration
        lifecycle = Lock(Lifecycle(isOwned: false))
        nativeAddress = 0
        pollDescriptor = nil
        system = nil
        self.failure = failure
        leakRecord = nil
        wakeup = Wakeup(.none)
        state = UnsafeTransfer(LoopState(AnyPoller()))
        lifecycle.withLock { lifecycle in lifecycle.disposed() }
        endRequest.store(.disposal, ordering: .releasing)
        _ = inbox.withLock { inbox in inbox.close() }
        afterDisposal.begin()
    }

    /// The tokens of registrations that are not in the descriptor table. No descriptor has one of these tokens.
    enum Token {
        static let wake = UInt64.max
        static let mainQueue = UInt64.max - 1
        /// The token of `LoopState.hostTimer`. That timer only makes the host run a turn, and the turn re-arms it.
        static let hostTimer = UInt64.max - 2
        static let pollTimer = PollTimer.token
    }
}
