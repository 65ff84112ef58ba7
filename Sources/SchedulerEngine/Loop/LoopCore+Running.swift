import ReactiveCore
import ReactiveSupport
import Synchronization

/// How a run begins, goes on from turn to turn, and ends.
extension LoopCore {
    enum RunMode { case untilStopped, untilIdle, once(waiting: Bool) }

    func run(_ mode: RunMode, _ operation: String, onOwnedThread: Bool = false) throws(LoopError) {
        if isForked { throw error(.forked, operation) }
        if thread == .host { throw error(isDisposed ? .disposed : .runByHost, operation) }
        if thread == .main, !ThreadIdentity.isMain { throw error(.notMainThread, operation) }
        if thread == .owned, !onOwnedThread { throw error(isDisposed ? .disposed : .alreadyRunning, operation) }
        try begin(operation)
        defer { endRun() }
        try beginServingMainQueue()
        let state = state.value
        switch takeEndRequest() {
        case .none: break
        // A stop from before the run is one turn that does not wait (rule R4).
        case .stop:
            defer { takeEndRequest() }
            return try turn(state, waiting: .no)
        // Before the run, or since it began (rule D4).
        case .disposal: return
        }
        switch mode {
        case .untilStopped:
            repeat { try turn(state, waiting: .always) } while !takeStop()
        case .untilIdle:
            while !isIdle(state) {
                try turn(state, waiting: .whileAlive)
                if takeStop() { return }
            }
        case .once(waiting: false):
            try turn(state, waiting: .no)
            _ = takeStop()
        case .once(waiting: true):
            // A wake-up alone is no progress: what it brought runs in the turn after it (rule R8).
            let before = state.callbacks
            repeat {
                try turn(state, waiting: .untilCallback(before))
            } while !takeStop() && state.callbacks == before
        }
    }

    func begin(_ operation: String) throws(LoopError) {
        let current = ThreadIdentity.current
        while true {
            switch lifecycle.withLock({ lifecycle in lifecycle.beginRun(on: current) }) {
            case .granted:
                runningThread.store(current, ordering: .relaxed)
                wakeup.isAwaited = false
                return
            case .tryAgain, .alreadyHeld: ThreadIdentity.yield()
            case .refused(let code): throw error(code, operation)
            }
        }
    }

    private func endRun() {
        // In a child that the run has forked: the state and the host's side are the parent's.
        if isForked { return runningThread.store(0, ordering: .relaxed) }
        endServingMainQueue()
        wakeup.isAwaited = false
        runningThread.store(0, ordering: .relaxed)
        guard let host = hosting.yielding else { return endHolding() }
        let left = isDisposed ? .nothing : leaveAfterRun(state.value)
        // Before the state is released: the next holder then finds a host that takes over what it leaves.
        host.runDidEnd()
        handOver(left, to: host)
        endHolding()
    }

    // MARK: The main queue

    private func beginServingMainQueue() throws(LoopError) {
        guard thread == .main else { return }
        hosting.suspend()
        hosting.yielding?.runWillBegin()
        let state = state.value
        guard !state.isServingMainQueue, let handle = try MainQueue.descriptor() else { return }
        try state.poller.register(handle, .read, token: Token.mainQueue)
        state.isServingMainQueue = true
    }

    // While a host serves the main queue its handle must not wake us too.
    private func endServingMainQueue() {
        let state = state.value
        guard state.isServingMainQueue, hosting.host != nil,
            let handle = try? MainQueue.descriptor()
        else { return }
        state.poller.deregister(handle)
        state.isServingMainQueue = false
    }

    /// Takes a stop out; a disposal stays.
    @discardableResult
    func takeEndRequest() -> EndRequest {
        guard endRequest.load(ordering: .acquiring) != .none else { return .none }
        // Where this finds something else, that is a disposal.
        let (_, found) = endRequest.compareExchange(expected: .stop, desired: .none, ordering: .acquiringAndReleasing)
        return found
    }

    /// Whether the run has to end; a stop is used up by that.
    func takeStop() -> Bool { takeEndRequest() != .none }

    /// Whether the rest of a turn must not run. In a child that a callback has forked, the rest of the turn is the parent's.
    var mustStop: Bool { endRequest.load(ordering: .relaxed) != .none || isForked }

    private func isIdle(_ state: LoopState) -> Bool {
        if state.hasWork { return false }
        takeFromInbox(state)
        return !state.hasWork && state.aliveCount == 0
    }
}
