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
        end { state in
            endServingMainQueue()
            wakeup.isAwaited = false
            guard let host = hosting.yielding else { return }
            let left = isDisposed ? .nothing : leaveAfterRun(state)
            // Called before the state is released, so that the next thread that holds the state finds a host that runs
            // the remaining work.
            host.runDidEnd()
            handOver(left, to: host)
        }
    }

    /// Ends what ``begin(_:)`` has begun: a run, or a turn of a guest or of a simulated loop. Calls `leave` before it
    /// releases the state, and takes the loop down if it has been disposed.
    func end(_ leave: (LoopState) -> Void = { _ in }) {
        runningThread.store(0, ordering: .relaxed)
        // If a callback has forked, and this is the child, the state and the host belong to the parent.
        if isForked { return }
        let state = state.value
        if let meter = state.meter { meter.end() }
        leave(state)
        releaseStateOrTakeDown()
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

extension LoopCore {
    /// Whether `dispose` has been called. The loop may not have been taken down yet.
    var isDisposed: Bool { endRequest.load(ordering: .acquiring) == .disposal }

    /// Disposes the loop. A running loop is disposed when the current callback has returned (rules D3–D5).
    func dispose() {
        if isForked { return leaveToParent() }
        let isHere = mayDetach
        let thread = ThreadIdentity.current
        let disposal = lifecycle.withLock { lifecycle in
            endRequest.store(.disposal, ordering: .sequentiallyConsistent)
            return lifecycle.requestDisposal(on: thread, isHere: isHere)
        }
        switch disposal {
        case .now: takeDown()
        case .later: wakeIfWaiting()
        case .alreadyRequested: break
        }
    }

    /// Disposes the loop in a forked child, without releasing, closing or calling anything. The kernel's part of the
    /// poller belongs to the parent. Objects of the loop may be in the middle of a change that only the parent
    /// completes.
    private func leaveToParent() {
        endRequest.store(.disposal, ordering: .releasing)
        // The parent may have requested the disposal before the fork without completing it, so the loop must be kept
        // even then.
        // Safe: the reference is never released.
        _ = unsafe Unmanaged.passRetained(self)
    }

    /// Waits for the thread that the loop owns. It has no effect in a forked child, which does not have that thread.
    func joinThread() {
        if isForked { return }
        ownedThread.withLock { thread in thread }?.join()
    }

    func stop() {
        // A loop that owns its thread could not be run again. A guest has no run that a stop could end.
        if thread == .owned || thread == .host { return }
        // A stop does not replace a disposal.
        _ = endRequest.compareExchange(expected: .none, desired: .stop, ordering: .sequentiallyConsistent)
        wakeIfWaiting()
    }

    /// Releases everything that the loop retains. The caller holds the state, and no thread can obtain it afterwards.
    func takeDown() {
        let jobs = releaseAll()
        // 6: jobs run on another thread as the loop's work. So they begin when no owner of a descriptor is left.
        afterDisposal.begin(with: jobs)
        leakRecord?.end()
    }

    /// Releases everything except the jobs that have not run, and returns these. The numbers are those of Docs/Disposal.md.
    private func releaseAll() -> [UnownedJob] {
        // 2: new work is refused, and nothing is called any more.
        let left = inbox.withLock { inbox in inbox.close() }
        let remains = state.value.removeAll()
        wakeup.close()
        lifecycle.withLock { lifecycle in lifecycle.finishDisposal() }
        // From here on no thread waits for the state, so user closures may run, and their captures be released (law 3).
        disposalHandlers.run(isLast: false)  // 3
        // 4: what remains is released. Closures that have not run are released with `work`, at the latest when this returns.
        let work = remains.work + left.work
        let jobs = work.compactMap { item in if case .job(let job) = item { job } else { nil } }
        for case .scheduled(let scheduled) in work { scheduled.dispose() }
        for entry in remains.timers { entry.end(wasTaken: true) }
        for change in left.timerChanges {
            switch change {
            case .insert(let entry): entry.end(wasTaken: false)
            // If a repeating timer was disposed and then became due, the queue has dropped it, but it may still retain
            // its closure.
            case .remove(let entry): entry.end(wasTaken: true)
            }
        }
        // The host must stop watching the poller's descriptor before it is closed.
        hosting.takeHost()?.detach()
        // Connections and other owners of descriptors close here (`Released.release`), unless a closure of `onDispose` has
        // closed them.
        for callee in remains.callees { callee.release() }
        // 5: what has been released may have registered others.
        disposalHandlers.run(isLast: true)
        return jobs
    }
}

extension LoopCore {
    /// Runs the loop on the thread that it owns.
    func runUntilDisposed() {
        do {
            // The thread has the signal mask of its creator, which may block all signals.
            try ThreadStack.permittingCapture { () throws(LoopError) in
                try run(.untilStopped, "run", onOwnedThread: true)
            }
        } catch  where error.code == .forked {
            // A callback has forked and returned in the child. This is the child's only thread, so the child exits when
            // this thread ends.
            return
        } catch {
            // The poller cannot wait, perhaps because other code has closed its descriptors. No caller could receive
            // this error.
            fatalError("loop \(name) cannot continue on its own thread: \(error)")
        }
    }
}
