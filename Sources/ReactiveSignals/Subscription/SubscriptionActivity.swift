// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The calls under way in a tree of subscriptions whose root is a ``TrackedSubscription``.
final class SubscriptionActivity: Sendable {
    /// Calls that end a subscription of the tree and run its teardowns.
    let teardowns = ActivityCount()
    /// Calls that send the termination of the root's signal.
    let terminations = ActivityCount()
}

/// Counts the calls of one kind that are under way, and calls closures when there is none.
final class ActivityCount: Sendable {
    private struct State {
        var active = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    func enter() { state.withLock { $0.active += 1 } }

    /// Ends one call. The last one to end calls the waiting closures, with no lock held (law 3).
    func leave() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.active -= 1
            if state.active > 0 { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body() }
    }

    /// Calls `body` when no call is under way: now, or on the thread whose call ends last.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.active > 0 { state.waiting.append(body) }
            return state.active == 0
        }
        if isIdle { body() }
    }
}
