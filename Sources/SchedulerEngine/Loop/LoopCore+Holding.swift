// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// Which thread may access the loop's state.
extension LoopCore {
    /// Whether the calling thread runs the loop.
    var isRunningHere: Bool { runningThread.load(ordering: .relaxed) == ThreadIdentity.current }

    /// Whether this thread holds the state: in a turn, in a borrow, or in `takeDown`.
    var isHeldHere: Bool { lifecycle.withLock { lifecycle in lifecycle.isHeld(by: ThreadIdentity.current) } }

    /// The number of turns that have begun. It is 0 for callers other than the loop's own work.
    var turn: UInt64 { isRunningHere ? state.value.turn : 0 }

    /// Runs `body` with the loop's state, on the loop's thread or on any thread if the loop does not run.
    func withState<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        if isForked { throw error(.forked, operation) }
        if isRunningHere { return try body(state.value) }
        // Between the turns that a host runs, no thread holds the state, but the guest still belongs to the host's
        // thread.
        if !isWithHost { throw error(isDisposed ? .disposed : .wrongThread, operation) }
        let thread = ThreadIdentity.current
        while true {
            switch lifecycle.withLock({ lifecycle in lifecycle.borrow(on: thread) }) {
            case .alreadyHeld: return try body(state.value)
            case .tryAgain: ThreadIdentity.yield()
            case .refused(let code): throw error(code, operation)
            case .granted:
                state.value.beginDeferring()
                defer {
                    if hosting.takesOverBetweenRuns { leaveToYieldingHost(state.value) }
                    let released = state.value.endDeferring()
                    endHolding()
                    for released in released { released.release() }
                }
                return try body(state.value)
            }
        }
    }

    /// Like ``withState(_:_:)``, for a call of the poller. Throws inside the poller's wait, where the poller must not
    /// be called. Only callbacks of the C library run there.
    func withPoller<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        try withState(operation) { (state) throws(LoopError) in
            if state.poll == .waiting {
                throw LoopError(
                    .wrongThread,
                    "\(operation) on loop \(name) failed: it was called in a C callback; call this in work (execute)"
                )
            }
            return try body(state)
        }
    }

    /// Whether this process is a forked child of the one that created the loop. In a child, the kernel's side of the
    /// poller belongs to the parent. The loop's locks may be held by threads that the child does not have, so they may
    /// never be released. Therefore every entry point checks this first (rule F3).
    @inline(__always)
    var isForked: Bool { forkGeneration != ThreadIdentity.forkGeneration }

    /// Like ``withState(_:_:)``, for calls that are documented to trap on the wrong thread. After disposal, and in a
    /// forked child, it calls `body` without holding the state.
    func requireState<Result>(_ operation: String, _ body: (LoopState) -> Result) -> Result {
        do {
            return try withState(operation) { state in body(state) }
        } catch {
            if error.code == .disposed || error.code == .forked { return body(state.value) }
            preconditionFailure("\(error)")
        }
    }

    func endHolding() {
        if lifecycle.withLock({ lifecycle in lifecycle.end() }) { takeDown() }
    }
}
