// SPDX-License-Identifier: MIT
import ReactiveCore

/// Work with a handle: it runs once, unless it is disposed before.
package final class ScheduledWork: Disposable {
    private let work: OnceCell<@Sendable () -> Void>
    private let queue: (any ScheduledWorkQueue)?

    /// Makes work that is about to enter `queue`. Nil stands for a queue that does not count cancellations.
    package init(_ work: @escaping @Sendable () -> Void, in queue: (any ScheduledWorkQueue)? = nil) {
        self.work = OnceCell(work)
        self.queue = queue
    }

    package var isDisposed: Bool { work.isTaken }

    package func dispose() {
        guard let work = work.take() else { return }
        queue?.didCancelWork()
        // Last, and outside every lock: a `deinit` of the closure's captures may run any code (law 3).
        _ = consume work
    }

    package func run() { work.take()?() }
}

/// A queue that removes cancelled work once there is enough of it.
package protocol ScheduledWorkQueue: AnyObject, Sendable {
    /// Work has been disposed before it ran. The queue may still hold its empty handle. Any thread may call this.
    func didCancelWork()
}
