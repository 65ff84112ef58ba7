// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport

// The fast path for work that is a function. The execution ends before the call returns, so it needs no object.
extension CommandCore {
    /// Admits a function's execution. The caller must call `leave` afterwards. Returns false if an ``Execution`` object
    /// is needed, for example to reject it, to let it wait, or for a subscriber of `executions`.
    @inlinable
    func enter() -> Bool {
        let (hasEntered, isObserved) = state.withLock { state -> (Bool, Bool) in
            guard state.isOpen, state.running < functions else { return (false, false) }
            guard state.observers == 0 else { return (false, true) }
            state.running += 1
            return (true, false)
        }
        return hasEntered || isObserved && enterObserved()
    }

    /// Removes a function's execution that has returned a value.
    @inlinable
    func leave(_ value: Output) {
        if !leaveUnobserved() { leaveObserved(value, .completed) }
    }

    /// Removes a function's execution that has thrown an error.
    @inlinable
    func leave(throwing failure: Failure, _ unobserved: UnobservedFailure<CommandError<Failure>>? = nil) {
        if !leaveUnobserved() { leaveObserved(nil, .failed(failure), unobserved) }
    }

    @inlinable
    func leaveUnobserved() -> Bool {
        state.withLock { state in
            guard state.observers == 0, state.waiting.isEmpty else { return false }
            state.running -= 1
            return true
        }
    }

    @inlinable
    @inline(never)
    func enterObserved() -> Bool {
        let hasEntered = state.withLock { state in
            guard state.observed.executions == 0, state.isOpen, state.running < functions else { return false }
            state.running += 1
            state.noteStates(strategy)
            return true
        }
        if hasEntered { notifyObservers() }
        return hasEntered
    }

    @inlinable
    @inline(never)
    func leaveObserved(
        _ value: Output?,
        _ termination: Termination<Failure>,
        _ unobserved: UnobservedFailure<CommandError<Failure>>? = nil
    ) {
        let next = state.withLock { state in
            if let value { state.append(.value(value), nil) }
            state.append(.ended(termination), nil, nil, unobserved)
            return state.release(strategy)
        }
        notifyObservers()
        if let next { begin(next) }
    }
}
