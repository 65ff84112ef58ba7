// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// An object that a loop has removed from its state, and must release when no thread waits for that state. A `deinit`
/// of a closure's capture may wait for a thread that needs the state (law 3, Docs/Laws.md).
enum Released {
    case callee(WatchEntry.Callee, isLoopOver: Bool)
    case work(AnyObject)

    /// Releases the object. If the loop is disposed, first calls `abandon` of a descriptor's owner, which closes the
    /// descriptor.
    consuming func release() {
        if case .callee(.owner(let owner), isLoopOver: true) = self { owner.abandon() }
    }
}

/// When the thread that holds a loop's state releases the objects that it removes.
enum Releases {
    /// Immediately, during a run. A running loop refuses its state to other threads, so no thread waits for it.
    case immediate
    /// After a borrow, because other threads may wait for the end of the borrow.
    case deferred([Released])
}

/// The objects that a loop contained when it was disposed.
struct Remains {
    let work: [Inbox.Work]
    let timers: [TimerEntry]
    let callees: [Released]
    let poller: AnyPoller
}
