// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// A loop that a host loop runs: the host runs its turns, and a timerfd reports its next deadline.
extension LoopCore {
    /// Attaches the loop to `host`. Each call of `turn` by the host is then one turn.
    func attach(
        to host: any LoopHost,
        servesMainQueue: Bool = false,
        turn: @escaping @Sendable () -> Void
    ) throws(LoopError) {
        guard let pollDescriptor else {
            throw LoopError(.badArgument, "cannot attach loop \(name) to a host: its poller has no descriptor to watch")
        }
        var isCalled = false
        try withPoller("attach") { (state) throws(LoopError) in
            let timer = try TimerDescriptor()
            try state.poller.register(timer.descriptor, .read, token: Token.hostTimer)
            state.hostTimer = consume timer
            if servesMainQueue, let handle = try MainQueue.descriptor() {
                try state.poller.register(handle, .read, token: Token.mainQueue)
                state.isServingMainQueue = true
            }
            if thread != .main { return }
            // Attach while this thread holds the state. A run that began before this would not have notified the host.
            try host.attach(pollDescriptor, turn: turn)
            hosting.attach(host, calls: .needed)
            isCalled = leaveToHost(state)
        }
        if thread == .main {
            if isCalled { callHost() }
            return
        }
        try host.attach(pollDescriptor, turn: turn)
        hosting.attach(host, calls: .none)
        // Work and timers posted before there was a host woke nothing. This makes the host run a first turn, which
        // takes them.
        wakeup.descriptor.signal()
    }

    /// Makes the loop's descriptor readable when the loop has something to do: after a post, or at its next deadline.
    /// True if it has something to do now.
    @discardableResult
    func leaveToHost(_ state: LoopState) -> Bool {
        switch announceWait(state, waiting: .always) {
        case .now:
            wakeup.descriptor.signal()
            return true
        case .never: state.hostTimer?.disarm()
        case .at(let instant): state.hostTimer?.arm(instant)
        }
        return false
    }

    /// Leaves the loop to its host (``leaveToHost(_:)``) at the end of a borrow, on a loop that the main queue serves
    /// between the loop's own runs. The host starts to watch if there is a timer or a watch to wait for.
    @inline(never)
    func leaveToYieldingHost(_ state: LoopState) {
        if isForked || isDisposed { return }
        leaveToHost(state)
        guard hosting.calls == .needed, isWaitedFor(state) else { return }
        hosting.yielding?.begin()
        hosting.hostWatches()
    }

    private func isWaitedFor(_ state: LoopState) -> Bool { !state.timers.isEmpty || !state.table.isEmpty }

    /// What a run leaves to the main queue.
    enum Remainder { case nothing, work, somethingToWaitFor }

    /// Prepares the loop for its host at the end of a run. If nothing is left, the host is not called: the next run
    /// would count that as a callback (rule R8).
    func leaveAfterRun(_ state: LoopState) -> Remainder {
        disarmPoller(state)
        let isDue = leaveToHost(state)
        return isWaitedFor(state) ? .somethingToWaitFor : isDue ? .work : .nothing
    }

    /// Disarms the timerfd in the poller's set, which would make the poller's descriptor readable for the host. Only
    /// `wait(until: .never)` does that, and the signalled wake-up descriptor makes it return at once. Descriptors that
    /// it reports are dropped: they are level-triggered, so the next wait reports them again.
    private func disarmPoller(_ state: LoopState) {
        wakeup.descriptor.signal()
        try? state.poller.wait(until: .never) { _, _ in }
        wakeup.descriptor.clear()
    }

    /// Hands what is left to the host. It runs after `runDidEnd` and before the state is released, so that no other
    /// thread has changed the state since `leaveAfterRun` (rule M9).
    func handOver(_ left: Remainder, to host: any YieldingHost) {
        if left == .somethingToWaitFor {
            host.begin()
            return hosting.hostWatches()
        }
        hosting.resume()
        // A thread that posted or stopped since `leaveAfterRun` has cleared the flag, and found no host to call. So the
        // host is called even if that thread has cancelled its work since: a later post finds the flag cleared, and
        // calls no host.
        if left == .work || !wakeup.isAwaited { callHost() }
    }

    /// Calls a host that may not watch the descriptor yet (rule M9).
    @inline(never)
    func callHost() {
        guard let host = hosting.yielding else { return }
        switch host.call() {
        case .watches: hosting.hostWatches()
        // The loop is in its own run, or that run has just ended. The run sets the state.
        case .isCalled, .standsBack: break
        }
    }

    /// Takes one turn for a host, because the descriptor was readable, and ensures that the host calls again.
    func turnAsGuest() throws(LoopError) {
        if isForked { throw error(.forked, "turn") }
        try begin("turn")
        hosting.beginTurn()
        defer { endGuestTurn() }
        // No run exists that a stop could end. A stop ends the turn and is cleared; if it stayed, the host would spin.
        // If another thread has disposed the loop, the host's thread takes it down (rule D4).
        if takeEndRequest() == .disposal { return }
        let state = state.value
        try turn(state, waiting: .no)
        // If the turn forked and this is the child, the descriptors belong to the parent.
        if isForked { return }
        _ = takeStop()
        // If more is left to do, the descriptor stays readable, and the host serves its own handles before the next
        // turn.
        leaveToHost(state)
    }

    // `leaveToHost` has set the flag, and it stays set: the host waits, and a post must wake it.
    private func endGuestTurn() {
        if isForked { return }
        runningThread.store(0, ordering: .relaxed)
        endHolding()
    }

    /// Whether the host calls the loop on this thread. Always true on a loop that is not a guest.
    var isWithHost: Bool {
        guard thread == .host else { return true }
        return hosting.isHere(beforeFirstTurn: .maker)
    }

    /// Whether this thread may detach the loop from its host. Before the first turn no thread may, because the host may
    /// run on another thread by now.
    var mayDetach: Bool { thread != .host || hosting.host == nil || hosting.isHere(beforeFirstTurn: .nowhere) }
}
