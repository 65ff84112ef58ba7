// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The calls in progress in a tree of subscriptions whose root is a ``TrackedSubscription``, and the values that a part
/// of a tree propagates.
///
/// Few subscriptions need it. So it contains both, and every other subscription stores only one reference.
final class SubscriptionActivity: Sendable {
    /// Calls that end a subscription of the tree and run its teardowns.
    let teardowns: ActivityCount
    /// Calls that send the termination of the root's signal.
    let terminations: ActivityCount
    /// The values that the subscriptions restore, or `nil`.
    let context: PropagatedContext?

    /// Creates counters, or shares those of the whole tree.
    init(_ context: PropagatedContext? = nil, sharing other: SubscriptionActivity? = nil) {
        teardowns = other?.teardowns ?? ActivityCount()
        terminations = other?.terminations ?? ActivityCount()
        self.context = context
    }
}

/// Counts the calls of one kind that are in progress, and calls closures when there is none.
final class ActivityCount: Sendable {
    private struct State {
        var active = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    func enter() { state.withLock { $0.active += 1 } }

    /// Records that a call has returned. The last one calls the waiting closures, with no lock held (law 3).
    func leave() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.active -= 1
            if state.active > 0 { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body() }
    }

    /// Calls `body` once no call is in progress: before this call returns, or on the thread whose call returns last.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.active > 0 { state.waiting.append(body) }
            return state.active == 0
        }
        if isIdle { body() }
    }
}
