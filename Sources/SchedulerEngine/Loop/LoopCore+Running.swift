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
        if thread == .main, system == nil, !ThreadIdentity.isMain {
            throw error(isDisposed ? .disposed : .notMainThread, operation)
        }
        if thread == .owned, !onOwnedThread { throw error(isDisposed ? .disposed : .alreadyRunning, operation) }
        try permittingCapture { () throws(LoopError) in try run(mode, operation) }
    }

    private func run(_ mode: RunMode, _ operation: String) throws(LoopError) {
        try begin(operation)
        defer { endRun() }
        try beginServingMainQueue()
        let state = state.value
        switch takeEndRequest() {
        case .none: break
        // After an earlier stop, the run is one turn that does not wait (rule R4).
        case .stop:
            defer { takeEndRequest() }
            return try turn(state, waiting: .no)
        // The loop was disposed, either earlier or at this moment (rule D4).
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
            // A wake-up alone does not end the call, because the announced work runs in the next turn (rule R8).
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
                kernelThread.store(ThreadIdentity.kernelNumber, ordering: .relaxed)
                phase.beginRun()
                if let meter = state.value.meter { meter.begin() }
                wakeup.isAwaited = false
                return
            case .tryAgain, .alreadyHeld: ThreadIdentity.yield()
            case .refused(let code): throw error(code, operation)
            }
        }
    }

    private func endRun() {
        // If a callback of the run has forked, and this is the child, the state and the host belong to the parent.
        if isForked { return runningThread.store(0, ordering: .relaxed) }
        if let meter = state.value.meter { meter.end() }
        endServingMainQueue()
        wakeup.isAwaited = false
        runningThread.store(0, ordering: .relaxed)
        guard let host = hosting.yielding else { return endHolding() }
        let left = isDisposed ? .nothing : leaveAfterRun(state.value)
        // Called before the state is released, so that the next thread that holds the state finds a host that runs the
        // remaining work.
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
        guard system == nil, !state.isServingMainQueue, let handle = try MainQueue.descriptor() else { return }
        try state.poller.register(handle, .read, token: Token.mainQueue)
        state.isServingMainQueue = true
    }

    // After the run, a host may serve the main queue. The queue's descriptor must not wake this loop then.
    private func endServingMainQueue() {
        let state = state.value
        guard state.isServingMainQueue, hosting.host != nil,
            let handle = try? MainQueue.descriptor()
        else { return }
        state.poller.deregister(handle)
        state.isServingMainQueue = false
    }

    /// Returns the current request. Clears it if it is a stop.
    @discardableResult
    func takeEndRequest() -> EndRequest {
        guard endRequest.load(ordering: .acquiring) != .none else { return .none }
        // If the exchange finds another value, the loop has been disposed.
        let (_, found) = endRequest.compareExchange(expected: .stop, desired: .none, ordering: .acquiringAndReleasing)
        return found
    }

    /// Whether the run must end. Clears a stop.
    func takeStop() -> Bool { takeEndRequest() != .none }

    /// Whether the rest of the turn must not run, because of a stop, a disposal or a fork. After a fork in a callback,
    /// the rest of the turn belongs to the parent.
    var mustStop: Bool { endRequest.load(ordering: .relaxed) != .none || isForked }

    private func isIdle(_ state: LoopState) -> Bool {
        if state.hasWork { return false }
        takeFromInbox(state)
        return !state.hasWork && state.aliveCount == 0
    }
}
