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
        try withPoller("attach") { (state) throws(LoopError) in
            let deadline = try TimerDescriptor()
            try state.poller.register(deadline.descriptor, .read, token: Token.deadline)
            state.deadline = consume deadline
            if servesMainQueue, let handle = MainQueue.descriptor {
                try state.poller.register(handle, .read, token: Token.mainQueue)
                state.isServingMainQueue = true
            }
        }
        try host.attach(pollDescriptor, turn: turn)
        self.host.withLock { current in current = host }
        // The first turn finds what was given before there was a host, which woke nobody.
        wake.signal()
    }

    /// Takes one turn for a host that has called because something is ready, and sees to it that the host calls again.
    func turnAsGuest() throws(LoopError) {
        if isForked { throw error(.forked, "turn") }
        try begin("turn")
        hostThread.store(ThreadIdentity.current, ordering: .relaxed)
        defer { endGuestTurn() }
        // Another thread has disposed it, and the host's is where it is taken down.
        if isDisposed { return }
        // There is no run that a stop could end: it ends the turn, and is used up. Kept, it would make the host spin.
        _ = takeStop()
        let state = state.value
        try turn(state, waiting: .no)
        // A child that was forked in it has the descriptors of its parent's.
        if isForked { return }
        _ = takeStop()
        switch nextDeadline(state, waiting: .always) {
        // More to do: the descriptor stays readable, and the host's own handles come before the next turn.
        case .now: wake.signal()
        case .never: state.deadline?.disarm()
        case .at(let instant): state.deadline?.arm(instant)
        }
    }

    // The flag that the turn's end has put up stays: the host waits, and a post has to wake it.
    private func endGuestTurn() {
        runningThread.store(0, ordering: .relaxed)
        endHolding()
    }

    /// Whether this thread is where the host calls; always true on a loop that is nobody's guest.
    var isWithHost: Bool {
        guard thread == .host else { return true }
        if let isHere = host.withLock({ host in host })?.isHere { return isHere }
        let last = hostThread.load(ordering: .relaxed)
        return (last == 0 ? maker : last) == ThreadIdentity.current
    }

    /// Whether this thread may take things off the host's loop. Before the first turn nobody may: that loop may run elsewhere by now.
    var mayDetach: Bool {
        guard thread == .host, let host = host.withLock({ host in host }) else { return true }
        return host.isHere ?? (hostThread.load(ordering: .relaxed) == ThreadIdentity.current)
    }

    /// Whether this thread is in the middle of a turn, or of taking the loop down.
    var isHeldHere: Bool { lifecycle.withLock { lifecycle in lifecycle.isHeld(by: ThreadIdentity.current) } }

    var yieldingHost: (any YieldingHost)? { host.withLock { host in host } as? any YieldingHost }
}
