// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Counts the calls of one kind that are in progress, and calls closures when there is none.
@usableFromInline
final class ActivityCount: Sendable {
    private struct State {
        var active = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    @usableFromInline
    init() {}

    @usableFromInline
    func enter() { state.withLock { $0.active += 1 } }

    /// Records that a call has returned. The last one calls the waiting closures, with no lock held (law 3).
    @usableFromInline
    func leave() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.active -= 1
            if state.active > 0 { return [] }
            return state.waiting.takeAll()
        }
        for body in waiting { body() }
    }

    /// Calls `body` once no call is in progress: before this call returns, or on the thread whose call returns last.
    @usableFromInline
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.active > 0 { state.waiting.append(body) }
            return state.active == 0
        }
        if isIdle { body() }
    }
}
