import ReactiveCore
import ReactiveSupport
import Synchronization

/// A loop that somebody else's runs: turns come from outside, and the next deadline is a descriptor like any other.
extension LoopCore {
    /// Hands the loop to `host`, whose calls of `turn` are its turns from now on.
    func attach(
        to host: any LoopHost,
        servesMainQueue: Bool = false,
        turn: @escaping @Sendable () -> Void
    ) throws(LoopError) {
        guard let pollDescriptor else {
            throw LoopError(.badArgument, "loop \(name): its poller has no descriptor that a host could watch")
        }
        var isCalled = false
        try withPoller("attach") { (state) throws(LoopError) in
            let deadline = try TimerDescriptor()
            try state.poller.register(deadline.descriptor, .read, token: Token.deadline)
            state.deadline = consume deadline
            if servesMainQueue, let handle = try MainQueue.descriptor() {
                try state.poller.register(handle, .read, token: Token.mainQueue)
                state.isServingMainQueue = true
            }
            if thread != .main { return }
            // While nobody else has the state: a run that began meanwhile would not have told the host.
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
        // The first turn finds what was given before there was a host, which woke nobody.
        wakeup.descriptor.signal()
    }

    /// Sees to it that whoever watches the loop's descriptor takes a turn when there is something to do: a post, a deadline. True where
    /// that is now.
    @discardableResult
    func leaveToHost(_ state: LoopState) -> Bool {
        switch nextDeadline(state, waiting: .always) {
        case .now:
            wakeup.descriptor.signal()
            return true
        case .never: state.deadline?.disarm()
        case .at(let instant): state.deadline?.arm(instant)
        }
        return false
    }

    /// The same when somebody has had the state who does not run the loop, where the main queue's owner runs it else.
    @inline(never)
    func leaveToYieldingHost(_ state: LoopState) {
        if isForked || isDisposed { return }
        leaveToHost(state)
        guard hosting.calls == .needed, isWaitedFor(state) else { return }
        hosting.yielding?.begin()
        hosting.hostWatches()
    }

    private func isWaitedFor(_ state: LoopState) -> Bool { !state.timers.isEmpty || !state.table.isEmpty }

    /// What a run leaves to the main queue's owner.
    enum Remainder { case nothing, work, somethingToWaitFor }

    /// Nothing that is left calls nobody: the next run would take it for a callback (rule R8).
    func leaveAfterRun(_ state: LoopState) -> Remainder {
        // The poller's own deadline is not to be left in its descriptor: it goes with a wait that has none, and ends at once.
        wakeup.descriptor.signal()
        try? state.poller.wait(until: .never) { _, _ in }
        wakeup.descriptor.clear()
        let isDue = leaveToHost(state)
        return isWaitedFor(state) ? .somethingToWaitFor : isDue ? .work : .nothing
    }

    /// When the run is over for the host as well, and nobody else has had the state since it was looked at (rule M9).
    func handOver(_ left: Remainder, to host: any YieldingHost) {
        if left == .somethingToWaitFor {
            host.begin()
            return hosting.hostWatches()
        }
        hosting.resume()
        // A thread that has posted or stopped since the loop's last look has cleared the flag, and found no host to call. Work that it has
        // cancelled since counts too: a later post finds the flag cleared, and calls nobody.
        if left == .work || !wakeup.isAwaited { callHost() }
    }

    /// Calls a host that may watch nothing yet (rule M9).
    @inline(never)
    func callHost() {
        guard let host = hosting.yielding else { return }
        switch host.call() {
        case .watches: hosting.hostWatches()
        // The loop's own run goes on, or has ended since. That run sets the state.
        case .isCalled, .standsBack: break
        }
    }

    /// Takes one turn for a host that has called because something is ready, and sees to it that the host calls again.
    func turnAsGuest() throws(LoopError) {
        if isForked { throw error(.forked, "turn") }
        try begin("turn")
        hosting.beginTurn()
        defer { endGuestTurn() }
        // There is no run that a stop could end: it ends the turn, and is used up. Kept, it would make the host spin.
        // Where another thread has disposed the loop, the host's thread takes it down (rule D4).
        if takeEndRequest() == .disposal { return }
        let state = state.value
        try turn(state, waiting: .no)
        // A child that was forked in it has the descriptors of its parent's.
        if isForked { return }
        _ = takeStop()
        // More to do: the descriptor stays readable, and the host's own handles come before the next turn.
        leaveToHost(state)
    }

    // The flag that the turn's end has put up stays: the host waits, and a post has to wake it.
    private func endGuestTurn() {
        if isForked { return }
        runningThread.store(0, ordering: .relaxed)
        endHolding()
    }

    /// Whether this thread is where the host calls; always true on a loop that is nobody's guest.
    var isWithHost: Bool {
        guard thread == .host else { return true }
        return hosting.isHere(beforeFirstTurn: .maker)
    }

    /// Whether this thread may take things off the host's loop. Before the first turn no thread may: that loop may run elsewhere by now.
    var mayDetach: Bool { thread != .host || hosting.host == nil || hosting.isHere(beforeFirstTurn: .nowhere) }

    /// Whether this thread is in the middle of a turn, or of taking the loop down.
    var isHeldHere: Bool { lifecycle.withLock { lifecycle in lifecycle.isHeld(by: ThreadIdentity.current) } }
}
