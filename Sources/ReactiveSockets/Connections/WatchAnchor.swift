// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The object through which a watch retains its socket. When a disposed loop releases the watch, the anchor abandons
/// the socket.
///
/// A socket and its observer may retain each other, as in an echo. Only this release breaks the cycle.
final class WatchAnchor<Core: LoopBound>: Sendable {
    private let confined: UnsafeTransfer<Core>

    init(_ core: Core) { confined = UnsafeTransfer(core) }

    var core: Core { confined.value }

    deinit {
        // If the loop is not disposed, the socket itself has released the watch.
        if core.loop.isDisposed { core.abandon() }
    }
}

/// The state of a socket that its loop's disposal closes.
protocol LoopBound: AnyObject {
    var loop: any LoopScheduler { get }

    /// Closes the descriptor and releases all observers without notifying them, because the loop has been disposed.
    func abandon()
}
