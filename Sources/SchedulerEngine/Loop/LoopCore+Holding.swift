// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// Which thread may access the loop's state. ``Lifecycle`` records it.
extension LoopCore {
    /// Whether the calling thread runs the loop.
    var isRunningHere: Bool { runningThread.load(ordering: .relaxed) == ThreadIdentity.current }

    /// Whether this thread holds the state: in a turn, in a borrow, or in `takeDown`.
    var isHeldHere: Bool { lifecycle.withLock { lifecycle in lifecycle.isHeld(by: ThreadIdentity.current) } }

    /// The number of turns that have begun. Outside the loop's own work, the value is 0.
    var turn: UInt64 { isRunningHere ? state.value.turn : 0 }

    /// Runs `body` with the loop's state. The caller must be on the loop's thread, unless the loop does not run.
    func withState<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        if isForked { throw error(.forked, operation) }
        if isRunningHere { return try body(state.value) }
        // Between two turns no thread holds the state of a guest, but the guest still belongs to the host's thread.
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

    /// Like ``withState(_:_:)``, for code that calls the poller. Throws `wrongThread` inside the poller's wait, where
    /// only callbacks of the C library run. The poller must not be called there.
    func withPoller<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        try withState(operation) { (state) throws(LoopError) in
            if phase.isWaiting {
                throw LoopError(
                    .wrongThread,
                    "\(operation) on loop \(name) failed: it was called in a C callback; call this in work (execute)"
                )
            }
            return try body(state)
        }
    }

    /// Whether this process is a forked child of the process that created the loop. In a child, the kernel's part of
    /// the poller belongs to the parent. Threads that the child does not have may hold the loop's locks forever.
    /// Therefore every entry point checks this first (rule F3).
    @inline(__always)
    var isForked: Bool { forkGeneration != ThreadIdentity.forkGeneration }

    /// Like ``withState(_:_:)``, for calls that are documented to trap on the wrong thread. After disposal, and in a
    /// forked child, it calls `body` even though the caller does not hold the state.
    func requireState<Result>(_ operation: String, _ body: (LoopState) -> Result) -> Result {
        do {
            return try withState(operation) { state in body(state) }
        } catch {
            if error.code == .disposed || error.code == .forked { return body(state.value) }
            trap("this handle cannot be used here: \(error)")
        }
    }

    func endHolding() {
        if lifecycle.withLock({ lifecycle in lifecycle.end() }) { takeDown() }
    }
}
