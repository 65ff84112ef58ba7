import ReactiveCore
import ReactiveSupport

/// What a loop has taken out of its state. It is released while nobody holds that state: the `deinit` of what a closure has captured may
/// wait for a thread that needs the state (law 3).
enum Released {
    case callee(WatchEntry.Callee, isLoopOver: Bool)
    case work(AnyObject)

    /// Releases it. An owner whose loop is over closes its descriptor first.
    consuming func release() {
        if case .callee(.owner(let owner), isLoopOver: true) = self { owner.abandon() }
    }
}

/// When the holder of a loop's state releases what it takes out.
enum Releases {
    /// At once, in a run: a thread that asks for the state of a running loop is refused and does not wait.
    case immediate
    /// After a borrow, whose end other threads do wait for.
    case deferred([Released])
}

/// Everything that a loop held when it was taken down.
struct Remains {
    let work: [Inbox.Work]
    let timers: [TimerEntry]
    let callees: [Released]
    let poller: AnyPoller
}
