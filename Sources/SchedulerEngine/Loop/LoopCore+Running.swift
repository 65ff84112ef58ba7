// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// How a run begins, continues from turn to turn, and ends.
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
        // Disposed before the run, or since it began (rule D4).
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
            // A wake-up alone is no progress: the work that it announces runs in the next turn (rule R8).
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
        // If the run forked and this is the child, the state and the host's side belong to the parent.
        if isForked { return runningThread.store(0, ordering: .relaxed) }
        endServingMainQueue()
        wakeup.isAwaited = false
        runningThread.store(0, ordering: .relaxed)
        guard let host = hosting.yielding else { return endHolding() }
        let left = isDisposed ? .nothing : leaveAfterRun(state.value)
        // Before the state is released, so that its next holder finds a host that takes over the remaining work.
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

    // While a host serves the main queue, the queue's handle must not wake this loop too.
    private func endServingMainQueue() {
        let state = state.value
        guard state.isServingMainQueue, hosting.host != nil,
            let handle = try? MainQueue.descriptor()
        else { return }
        state.poller.deregister(handle)
        state.isServingMainQueue = false
    }

    /// Returns the request, and clears it if it is a stop.
    @discardableResult
    func takeEndRequest() -> EndRequest {
        guard endRequest.load(ordering: .acquiring) != .none else { return .none }
        // If the exchange finds another value, that is a disposal.
        let (_, found) = endRequest.compareExchange(expected: .stop, desired: .none, ordering: .acquiringAndReleasing)
        return found
    }

    /// Whether the run must end. Clears a stop.
    func takeStop() -> Bool { takeEndRequest() != .none }

    /// Whether the rest of a turn must not run. If a callback forked and this is the child, the rest of the turn
    /// belongs to the parent.
    var mustStop: Bool { endRequest.load(ordering: .relaxed) != .none || isForked }

    private func isIdle(_ state: LoopState) -> Bool {
        if state.hasWork { return false }
        takeFromInbox(state)
        return !state.hasWork && state.aliveCount == 0
    }
}
