// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Counts the values of an input that wait in an operator, and pauses the input at a limit.
///
/// Only the code that receives a value from the source pauses the input. It pauses before it queues the value, and then
/// checks again whether the pause is still needed. After that, only the code that takes values from the queue resumes
/// the input. So both agree on whether the input is paused.
@usableFromInline
package final class BackPressure: Sendable {
    private struct State {
        var waiting = 0
        var hasPausedSource = false
    }

    private let input: SignalSubscription
    private let limit: Int
    /// The kind of the pause, which decides whether a failure of the input overtakes values.
    private let kind: PauseKind
    private let state = Lock(State())

    @usableFromInline
    package init(_ input: SignalSubscription, _ limit: Int, _ kind: PauseKind) {
        self.input = input
        self.kind = kind
        self.limit = max(1, limit)
    }

    /// Counts a value. Call it when the source has sent the value, before the value is queued.
    @usableFromInline
    package func arrived() {
        let isFull = state.withLock { state in
            state.waiting += 1
            return !state.hasPausedSource && state.waiting >= limit
        }
        guard isFull else { return }
        input.addPause(kind)
        // Another thread may have removed values since the check, so the pause is no longer needed.
        let isObsolete = state.withLock { state in
            state.hasPausedSource = state.waiting * 2 > limit
            return !state.hasPausedSource
        }
        if isObsolete { input.removePause(kind) }
    }

    /// Counts a value that has been taken from the queue.
    @usableFromInline
    package func taken() {
        let isDue = state.withLock { state in
            state.waiting -= 1
            guard state.hasPausedSource, state.waiting * 2 <= limit else { return false }
            state.hasPausedSource = false
            return true
        }
        if isDue { input.removePause(kind) }
    }
}
