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

/// When the thread that holds a loop's state releases the objects that it has removed.
enum Releases {
    /// Immediately, during a run. Other threads never wait for the state of a running loop: their calls throw
    /// `wrongThread`.
    case immediate
    /// After a borrow, because other threads may wait for its end.
    case deferred([Released])
}

/// The objects that remained in a loop when it was disposed.
struct Remains {
    let work: [Inbox.Work]
    let timers: [TimerEntry]
    let callees: [Released]
    let poller: AnyPoller
}
