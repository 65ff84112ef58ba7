import ReactiveSupport

/// What is going on in a tree of subscriptions; for a ``TrackedSubscription``, its root.
final class SubscriptionActivity: Sendable {
    /// Calls that end a subscription of the tree, and run teardowns.
    let teardowns = ActivityCount()
    /// Calls that send the end of the signal that the root is subscribed to.
    let terminations = ActivityCount()
}

/// How many calls of one kind are under way, and what to do when there is none.
final class ActivityCount: Sendable {
    private struct State {
        var active = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    func enter() { state.withLock { $0.active += 1 } }

    /// The last one to leave calls what waits, with no lock held (law 3).
    func leave() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.active -= 1
            if state.active > 0 { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body() }
    }

    /// Calls `body` when no call is under way: now, or on the thread that leaves last.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.active > 0 { state.waiting.append(body) }
            return state.active == 0
        }
        if isIdle { body() }
    }
}
