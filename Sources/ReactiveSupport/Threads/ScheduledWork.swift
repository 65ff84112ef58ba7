// SPDX-License-Identifier: MIT
import ReactiveCore

/// Work with a handle. It runs once, unless it is disposed first.
package final class ScheduledWork: Disposable {
    private let work: OnceCell<@Sendable () -> Void>
    private let queue: (any ScheduledWorkQueue)?

    /// Creates work that will be submitted to `queue`. `nil` means that the queue does not count cancellations.
    package init(_ work: @escaping @Sendable () -> Void, in queue: (any ScheduledWorkQueue)? = nil) {
        self.work = OnceCell(work)
        self.queue = queue
    }

    package var isDisposed: Bool { work.isTaken }

    package func dispose() {
        guard let work = work.take() else { return }
        queue?.didCancelWork()
        // This is the last step, outside every lock, because a `deinit` of a captured object may run any code (law 3).
        _ = consume work
    }

    package func run() { work.take()?() }
}

/// A queue that removes cancelled work when there is enough of it.
package protocol ScheduledWorkQueue: AnyObject, Sendable {
    /// Records that work has been disposed before it ran. The queue may still contain its empty handle. Any thread may
    /// call this.
    func didCancelWork()
}
