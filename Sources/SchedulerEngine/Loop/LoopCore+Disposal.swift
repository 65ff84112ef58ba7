// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

extension LoopCore {
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
        keepForever(self)
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
        // Jobs run on another thread as the loop's work. So they begin when no owner of a descriptor is left.
        afterDisposal.begin(with: jobs)
        leakRecord?.end()
    }

    /// Releases everything except the jobs that have not run, and returns these.
    private func releaseAll() -> [UnownedJob] {
        let left = inbox.withLock { inbox in inbox.close() }
        let remains = state.value.takeDown()
        wakeup.close()
        lifecycle.withLock { lifecycle in lifecycle.disposed() }
        // From here on no thread waits for the state, so user closures and their captures may be released (law 3).
        let work = remains.work + left.work
        let jobs = work.compactMap { piece in if case .job(let job) = piece { job } else { nil } }
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
        for callee in remains.callees { callee.release() }
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
