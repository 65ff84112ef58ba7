import ReactiveCore
import ReactiveSupport
import Synchronization

extension LoopCore {
    var isDisposed: Bool { endRequest.load(ordering: .acquiring) == .disposal }

    /// Ends the loop: now where nobody runs it, else when the callback that is running now has returned (rules D3–D5).
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

    /// What `dispose` is in a forked child. Nothing is released, closed or called: the kernel's side of the poller is the parent's,
    /// and what the loop holds may be in the middle of a change that only the parent completes.
    private func leaveToParent() {
        endRequest.store(.disposal, ordering: .releasing)
        // Also where the parent had asked for the disposal before the fork: it may not have been carried out.
        keepForever(self)
    }

    /// Waits for the thread that the loop owns. A forked child does not have it.
    func joinThread() {
        if isForked { return }
        ownedThread.withLock { thread in thread }?.join()
    }

    func stop() {
        // A loop that owns its thread has nobody who could run it again; a guest has no run of its own.
        if thread == .owned || thread == .host { return }
        // A disposal outlasts a stop.
        _ = endRequest.compareExchange(expected: .none, desired: .stop, ordering: .sequentiallyConsistent)
        wakeIfWaiting()
    }

    /// Gives back everything the loop holds. The caller holds the state, and nobody gets it after that.
    func takeDown() {
        let left = inbox.withLock { inbox in inbox.close() }
        let remains = state.value.takeDown()
        wakeup.close()
        lifecycle.withLock { lifecycle in lifecycle.disposed() }
        // From here nobody waits for the state: the user's closures, and what they hold, may be released (law 3).
        for piece in remains.work + left.work { release(piece) }
        for entry in remains.timers { entry.end(wasTaken: true) }
        for change in left.timerChanges {
            switch change {
            case .arm(let entry): entry.end(wasTaken: false)
            // One that was due after it had been disposed has left the queue with its closure.
            case .disarm(let entry): entry.end(wasTaken: true)
            }
        }
        // Before the poller's descriptor closes.
        hosting.takeHost()?.detach()
        for callee in remains.callees { callee.release() }
        _ = consume remains
    }

    private func release(_ piece: Inbox.Work) {
        switch piece {
        case .job(let job): afterDisposal.enqueue(job)
        case .scheduled(let scheduled): scheduled.dispose()
        case .closure: break
        }
    }
}

extension LoopCore {
    /// What the thread of a loop that owns one does.
    func runUntilDisposed() {
        do {
            try run(.untilStopped, "run", onOwnedThread: true)
        } catch  where error.code == .forked {
            // A callback has forked, and returned in the child: this thread, the child's only one, ends, and with it the child.
            return
        } catch {
            // Nobody else can be told: the wait itself is impossible (a broken poller, descriptors closed by others).
            preconditionFailure("loop \(name) broke down: \(error)")
        }
    }
}
