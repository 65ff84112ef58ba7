// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport
public import Synchronization

extension CommandCore {
    /// The result of submitting an execution.
    @usableFromInline
    enum Submission: Sendable {
        case begun
        case waits
        case waitsBeyondLimit
        /// Rejected, or cancelled before it was admitted.
        case rejected
    }

    /// Admits an execution, queues it or rejects it, and begins it if it is admitted.
    ///
    /// With `isGuest`, the execution may wait beyond the queue's limit. Its caller then pauses the source of requests
    /// until the execution has begun.
    @inlinable
    @discardableResult
    func submit(
        _ execution: Execution<Output, Failure>,
        refused: Rejection? = nil,
        isGuest: Bool = false
    ) -> Submission {
        let admission = admit(execution, refused: refused, isGuest: isGuest)
        if admission.hasNotices { notifyObservers() }
        if let reason = admission.reason { execution.reject(reason) }
        if strategy.isLatest { admission.dropped?.cancel() } else { admission.dropped?.reject(.dropped) }
        // When the cancelled work has ended, `leave` passes its slot to the new execution, which then begins.
        admission.replaced?.cancel()
        if admission.submission == .begun { begin(execution) }
        return admission.submission
    }

    /// Begins an execution. If it ends before the call of its work returns, begins the next execution that waits, and
    /// so on.
    @inlinable
    func begin(_ execution: Execution<Output, Failure>) {
        var due: Execution<Output, Failure>? = execution
        while let execution = due { due = execution.begin() }
    }

    /// Removes an execution that has ended. Returns the one that must begin now.
    @inlinable
    func leave(
        _ execution: Execution<Output, Failure>,
        _ event: Event<Output, Failure>?,
        _ unobserved: UnobservedFailure<CommandError<Failure>>?
    ) -> Execution<Output, Failure>? {
        // Removing it releases nothing under the lock, because the caller retains it.
        let (next, hasNotices) = state.withLock { state -> (Execution<Output, Failure>?, Bool) in
            guard state.underWay.removeValue(forKey: ObjectIdentifier(execution)) != nil else {
                if state.waiting.remove(execution) { state.noteStates(strategy) }
                return (nil, !state.notices.isEmpty)
            }
            let copy = execution.copy
            if let event {
                state.append(event, copy, nil, unobserved)
            } else if let copy {
                state.notices.append(.breaking(copy))
            }
            let next = state.release(strategy)
            return (next, !state.notices.isEmpty)
        }
        if hasNotices { notifyObservers() }
        return next
    }

    /// The result of a request for admission.
    @usableFromInline
    struct Admission: Sendable {
        @usableFromInline
        var submission: Submission
        @usableFromInline
        var reason: Rejection?
        @usableFromInline
        var dropped: Execution<Output, Failure>?
        @usableFromInline
        var replaced: Execution<Output, Failure>?
        @usableFromInline
        var hasNotices = false

        @inlinable
        init(_ submission: Submission) { self.submission = submission }
    }

    @inlinable
    func admit(_ execution: Execution<Output, Failure>, refused: Rejection?, isGuest: Bool) -> Admission {
        state.withLock { state -> Admission in
            var admission = Admission(.begun)
            // A cancellation first sets `isOver` and then removes the execution. So either this check finds `isOver`
            // set, or the removal finds the execution.
            if execution.isOver.load(ordering: .acquiring) {
                admission.submission = .rejected
            } else if let reason = refusal(state, refused: refused, isGuest: isGuest) {
                state.append(reason)
                admission.submission = .rejected
                admission.reason = reason
            } else if state.running < strategy.running {
                state.running += 1
                state.admit(execution, strategy)
            } else {
                admission.submission = .waits
                if strategy.isLatest {
                    admission.dropped = state.waiting.popFirst()
                    admission.replaced = state.underWay.values.first
                } else if state.waiting.count >= strategy.waiting {
                    if strategy.dropsOldest {
                        admission.dropped = state.waiting.popFirst()
                        state.append(Rejection.dropped)
                    } else {
                        admission.submission = .waitsBeyondLimit
                    }
                }
                state.waiting.append(execution)
                state.noteStates(strategy)
            }
            admission.hasNotices = !state.notices.isEmpty
            return admission
        }
    }

    /// Returns the reason to reject an execution, or `nil` if it may begin or wait.
    @inlinable
    func refusal(_ state: CommandState<Output, Failure>, refused: Rejection?, isGuest: Bool) -> Rejection? {
        if state.hasEnded { return .ended }
        if !state.isAllowed { return .disabled }
        if let refused { return refused }
        if isGuest || state.hasRoom(strategy) { return nil }
        return strategy.waiting > 0 ? .full : .busy
    }
}
