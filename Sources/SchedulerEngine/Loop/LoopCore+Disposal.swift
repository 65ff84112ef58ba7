// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

extension LoopCore {
    var isDisposed: Bool { endRequest.load(ordering: .acquiring) == .disposal }

    /// Disposes the loop: at once if it does not run, else when the current callback has returned (rules D3–D5).
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

    /// Disposes the loop in a forked child, where it releases, closes and calls nothing. The kernel's side of the
    /// poller belongs to the parent. Objects of the loop may be in the middle of a change that only the parent
    /// completes.
    private func leaveToParent() {
        endRequest.store(.disposal, ordering: .releasing)
        // Also if the parent requested the disposal before the fork: it may not have been carried out by then.
        keepForever(self)
    }

    /// Waits for the thread that the loop owns. A forked child does not have that thread, so there the call does
    /// nothing.
    func joinThread() {
        if isForked { return }
        ownedThread.withLock { thread in thread }?.join()
    }

    func stop() {
        // A loop that owns its thread could not be run again. A guest has no run of its own.
        if thread == .owned || thread == .host { return }
        // A stop does not replace a disposal.
        _ = endRequest.compareExchange(expected: .none, desired: .stop, ordering: .sequentiallyConsistent)
        wakeIfWaiting()
    }

    /// Releases everything the loop holds. The caller holds the state, and no thread can hold it afterwards.
    func takeDown() {
        let left = inbox.withLock { inbox in inbox.close() }
        let remains = state.value.takeDown()
        wakeup.close()
        lifecycle.withLock { lifecycle in lifecycle.disposed() }
        // From here no thread waits for the state, so the user's closures and their captures may be released (law 3).
        for piece in remains.work + left.work { release(piece) }
        for entry in remains.timers { entry.end(wasTaken: true) }
        for change in left.timerChanges {
            switch change {
            case .insert(let entry): entry.end(wasTaken: false)
            // A repeating timer that was disposed and then came due may have left the queue still holding its closure.
            case .remove(let entry): entry.end(wasTaken: true)
            }
        }
        // The host stops watching the poller's descriptor before that closes.
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
    /// Runs the loop on the thread that it owns.
    func runUntilDisposed() {
        do {
            try run(.untilStopped, "run", onOwnedThread: true)
        } catch  where error.code == .forked {
            // A callback forked and returned in the child. This is the child's only thread, so the child ends with it.
            return
        } catch {
            // No caller could receive this error: the poller cannot wait. Other code may have closed its descriptors.
            preconditionFailure("loop \(name) cannot continue on its own thread: \(error)")
        }
    }
}
