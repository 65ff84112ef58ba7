// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Suspends a task while a subscription is paused.
///
/// The call that removes the continuation from the state also resumes it, so it is resumed exactly once.
final class Pace: Sendable {
    private struct State {
        var isPaused = false
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    init(_ subscription: SignalSubscription) {
        subscription.onChange { [self] change in
            switch change {
            case .paused: set { $0.isPaused = true }
            case .resumed: set { $0.isPaused = false }
            case .failuresMayPass: break
            case .over: set { $0.isOver = true }
            }
        }
    }

    /// Returns when the subscription is not paused, or has been disposed.
    func open() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOpen = state.withLock { state in
                if state.isPaused, !state.isOver {
                    state.waiter = continuation
                    return false
                }
                return true
            }
            if isOpen { continuation.resume() }
        }
    }

    private func set(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            body(&state)
            return state.isPaused && !state.isOver ? nil : state.waiter.take()
        }
        waiter?.resume()
    }
}
