// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// An object that a loop has removed from its state. The loop must release it when no thread waits for that state,
/// because a `deinit` of a captured object may wait for a thread that needs the state (law 3, Docs/Laws.md).
enum Released {
    case callee(WatchEntry.Callee, isLoopOver: Bool)
    case work(AnyObject)

    /// Releases the object. If the loop is disposed and the object is a descriptor's owner, first calls `abandon`,
    /// which closes the descriptor.
    consuming func release() {
        if case .callee(.owner(let owner), isLoopOver: true) = self { owner.abandon() }
    }
}

/// The objects that remained in a loop when it was disposed.
struct Remains {
    let work: [Inbox.Work]
    let timers: [TimerEntry]
    let callees: [Released]
    let poller: AnyPoller
}
