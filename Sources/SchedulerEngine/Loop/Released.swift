// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// An object that a loop has removed from its state. It is released while no thread holds that state. A `deinit` of a
/// closure's capture may wait for a thread that needs the state (law 3, Docs/Laws.md).
enum Released {
    case callee(WatchEntry.Callee, isLoopOver: Bool)
    case work(AnyObject)

    /// Releases it. If the loop is disposed, the owner closes its descriptor first.
    consuming func release() {
        if case .callee(.owner(let owner), isLoopOver: true) = self { owner.abandon() }
    }
}

/// When the holder of a loop's state releases what it removes.
enum Releases {
    /// At once, during a run: a running loop refuses its state to other threads, so none waits for it.
    case immediate
    /// After a borrow, because other threads wait for its end.
    case deferred([Released])
}

/// What a loop held when it was taken down.
struct Remains {
    let work: [Inbox.Work]
    let timers: [TimerEntry]
    let callees: [Released]
    let poller: AnyPoller
}
