import ReactiveSupport

/// Counts the values of an input that wait in an operator, and pauses the input while too many do.
///
/// Only the source's side pauses the input, before the value is queued, and only the other side resumes it, after: so the
/// two are never out of step.
@usableFromInline
package final class BackPressure: Sendable {
    private struct State {
        var waiting = 0
        var hasPausedSource = false
    }

    private let input: SignalSubscription
    private let limit: Int
    /// What the pause means for a failure of the input.
    private let kind: PauseKind
    private let state = Lock(State())

    @usableFromInline
    package init(_ input: SignalSubscription, _ limit: Int, _ kind: PauseKind) {
        self.input = input
        self.kind = kind
        self.limit = max(1, limit)
    }

    /// A value has come; on the source's side, before it is queued.
    @usableFromInline
    package func arrived() {
        let isFull = state.withLock { state in
            state.waiting += 1
            return !state.hasPausedSource && state.waiting >= limit
        }
        guard isFull else { return }
        input.addPause(kind)
        // It may have been taken meanwhile, by another thread: then the hold is not for anybody.
        let isObsolete = state.withLock { state in
            state.hasPausedSource = state.waiting * 2 > limit
            return !state.hasPausedSource
        }
        if isObsolete { input.removePause(kind) }
    }

    /// A value has left the queue; on the other side.
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
