// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// The object through which a watch or another closure of a loop retains a socket, a client or a subscriber. When a
/// disposed loop releases that closure, the anchor abandons the object.
///
/// The object and its observer may retain each other, as in an echo. Only this release breaks the cycle.
package final class WatchAnchor<Core: LoopBound>: Sendable {
    private let confined: UnsafeTransfer<Core>

    package init(_ core: Core) { confined = UnsafeTransfer(core) }

    package var core: Core { confined.value }

    deinit {
        // If the loop is not disposed, the object itself has released the closure.
        if core.loop.isDisposed { core.abandon() }
    }
}

/// An object whose work ends when its loop is disposed.
package protocol LoopBound: AnyObject {
    var loop: any LoopScheduler { get }

    /// Closes what is open and releases all observers without notifying them, because the loop has been disposed.
    func abandon()
}
