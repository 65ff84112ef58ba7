import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension CommandCore {
    /// What became of an execution that was submitted.
    enum Submission {
        case begun
        case waits
        case waitsBeyondLimit
        case rejected
    }

    /// Lets an execution in, lets it wait or rejects it, and begins it where it is let in.
    ///
    /// A guest may wait beyond the queue's limit: whoever asks for it holds its source back until it has begun.
    @discardableResult
    func submit(_ execution: Execution<Output, Failure>, isRefused: Bool = false, isGuest: Bool = false) -> Submission {
        let admission = admit(execution, isRefused: isRefused, isGuest: isGuest)
        tell()
        if let reason = admission.reason { execution.reject(reason) }
        if strategy.isLatest { admission.dropped?.cancel() } else { admission.dropped?.reject(.dropped) }
        // Its place goes to the new one, which begins as soon as this one's work has ended.
        admission.replaced?.cancel()
        if admission.submission == .begun { begin(execution) }
        return admission.submission
    }

    /// Begins one, and those that follow because it has ended at once.
    func begin(_ execution: Execution<Output, Failure>) {
        var due: Execution<Output, Failure>? = execution
        while let execution = due { due = execution.begin() }
    }

    /// Takes out one that has ended, and gives the one that is to begin now.
    func leave(_ execution: Execution<Output, Failure>, _ event: Event<Output, Failure>?) -> Execution<Output, Failure>? {
        // What is taken out is part of the result, so that it is released outside the lock.
        let (next, _) = state.withLock { state -> (Execution<Output, Failure>?, Execution<Output, Failure>?) in
            guard let left = state.underWay.removeValue(forKey: ObjectIdentifier(execution)) else {
                if state.removeWaiting(execution) { state.noteStates(strategy) }
                return (nil, nil)
            }
            let copy = execution.copy
            if let event { state.append(event, copy) } else if let copy { state.notices.append(.breaking(copy)) }
            return (state.release(strategy), left)
        }
        return next
    }

    private struct Admission: Sendable {
        var submission: Submission
        var reason: Rejection?
        var dropped: Execution<Output, Failure>?
        var replaced: Execution<Output, Failure>?
    }

    private func admit(_ execution: Execution<Output, Failure>, isRefused: Bool, isGuest: Bool) -> Admission {
        state.withLock { state -> Admission in
            func reject(_ reason: Rejection) -> Admission {
                state.append(reason)
                return Admission(submission: .rejected, reason: reason)
            }
            if state.hasEnded { return reject(.ended) }
            if isRefused || !state.isAllowed { return reject(.disabled) }
            var admission = Admission(submission: .begun)
            if state.running < strategy.running {
                state.running += 1
                state.admit(execution, strategy)
                return admission
            }
            if strategy.isLatest {
                admission.submission = .waits
                admission.dropped = state.waiting.popFirst()
                admission.replaced = state.underWay.values.first
                state.waiting.append(execution)
                return admission
            }
            if state.waiting.count >= strategy.waiting {
                if strategy.waiting > 0, strategy.whenFull == .dropsOldest {
                    admission.dropped = state.waiting.popFirst()
                    state.append(Rejection.dropped)
                } else if !isGuest {
                    return reject(strategy.waiting > 0 ? .full : .busy)
                } else {
                    admission.submission = .waitsBeyondLimit
                }
            }
            if admission.submission == .begun { admission.submission = .waits }
            state.waiting.append(execution)
            state.noteStates(strategy)
            return admission
        }
    }
}
