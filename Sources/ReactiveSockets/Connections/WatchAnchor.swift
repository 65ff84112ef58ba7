// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// Retains a socket, a client or a subscriber for a watch or another closure of a loop. When a disposed loop releases
/// the closure, the anchor abandons the retained object.
///
/// The retained object and its observer may retain each other, as in an echo. Only abandoning the object breaks the
/// cycle.
package final class WatchAnchor<Core: LoopBound>: Sendable {
    private let confined: UnsafeTransfer<Core>

    package init(_ core: Core) { confined = UnsafeTransfer(core) }

    package var core: Core { confined.value }

    deinit {
        // If the loop has not been disposed, the retained object has released the closure itself.
        if core.loop.isDisposed { core.abandon() }
    }
}

/// An object whose work ends when its loop is disposed.
package protocol LoopBound: AnyObject, SendableMetatype {
    var loop: any LoopScheduler { get }

    /// Closes what is open and releases all observers without notifying them, because the loop has been disposed.
    func abandon()
}

extension LoopBound {
    /// Runs `work` in a job. Call it if the poller has refused a call with `wrongThread`: the caller is a C callback inside
    /// of the loop's wait. If the loop is disposed before the job, this object is abandoned.
    func afterWait(_ work: @escaping @Sendable (Self) -> Void) {
        let anchor = WatchAnchor(self)
        loop.execute { work(anchor.core) }
    }
}
