// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// The part of a loop that all back ends share. It controls the access to the state, and accepts work.
///
/// It has three kinds of state. Only the thread that holds `state` may access it, and `lifecycle` says which thread
/// that is. Any thread may use `inbox`, under its lock. `wakeup`, `endRequest` and `hosting` use atomics.
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
    /// Whether the run must end. `lifecycle` also records a disposal, but this value can be read without a lock.
    let endRequest = Atomic<EndRequest>(.none)
    let lifecycle: Lock<Lifecycle>
    let afterDisposal: FallbackExecutor
    let hosting = Hosting()
    let ownedThread = Lock<SystemThread?>(nil)
    let forkGeneration: UInt32
    let nativeAddress: UInt
    let pollDescriptor: Int32?
    /// The reason why the loop could not be created, or nil. If it is not nil, the loop refuses every call with this
    /// error.
    let failure: LoopError?
    /// The record of the leak check in which the loop was made; nil outside of one, and for a main loop.
    let leakRecord: LeakScope.LoopRecord?
    /// How long to busy-poll before a wait, in nanoseconds. 0 means not at all.
    let spinLimit = Atomic<Int64>(0)
    /// The thread that runs the loop; 0 if the loop does not run.
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
        identity = LoopIdentity(isMain: thread == .main)
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
            // The first deadline of a poller may allocate kernel memory. A failure can be thrown here, but would be
            // fatal in a run (rule E4).
            if let clock = clock as? MonotonicClock {
                try poller.wait(until: .at(clock.now)) { _, _ in }
                try poller.wait(until: .now) { _, _ in }
            }
        } catch {
            wakeup.close()
            throw error
        }
        state = UnsafeTransfer(LoopState(poller))
        leakRecord = thread == .main ? nil : LeakScope.recordLoop(name)
    }

    /// Creates the main loop that is used if the system has refused the resources of a real one. It has no descriptor,
    /// and is disposed from the start.
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
        self.failure = failure
        leakRecord = nil
        wakeup = Wakeup(.none)
        state = UnsafeTransfer(LoopState(AnyPoller()))
        lifecycle.withLock { lifecycle in lifecycle.disposed() }
        endRequest.store(.disposal, ordering: .releasing)
        _ = inbox.withLock { inbox in inbox.close() }
    }

    /// Tokens of registrations that are not in the descriptor table. No descriptor has their numbers.
    enum Token {
        static let wake = UInt64.max
        static let mainQueue = UInt64.max - 1
        /// The token of `LoopState.hostTimer`. That timer only makes the host take a turn, and the turn re-arms it.
        static let hostTimer = UInt64.max - 2
        static let pollTimer = PollTimer.token
    }
}
