// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// Accepts work from any thread.
extension LoopCore {
    func execute(_ work: __owned @escaping @Sendable () -> Void) {
        if isForked { return }
        // Moving the closure instead of copying it saves a retain and a release.
        var piece: Inbox.Work? = .closure(consume work)
        let isOpen = inbox.withLock { inbox in inbox.take(&piece) }
        if isOpen { wakeIfWaiting() }
    }

    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        if isForked { return DisposedHandle.shared }
        let scheduled = ScheduledWork(work, in: self)
        let isOpen = inbox.withLock { inbox in inbox.post(.scheduled(scheduled)) }
        if isOpen { wakeIfWaiting() } else { scheduled.dispose() }
        return scheduled
    }

    func enqueue(_ job: UnownedJob) {
        // In a forked child the job is dropped, because the thread pool that would run the rest of its task belongs to
        // the parent too.
        if isForked { return }
        let isOpen = inbox.withLock { inbox in inbox.post(.job(job)) }
        if isOpen { wakeIfWaiting() } else { afterDisposal.enqueue(job) }
    }

    func didCancelWork() {
        if isForked { return }
        inbox.withLock { inbox in inbox.didCancelWork() }
    }
}
