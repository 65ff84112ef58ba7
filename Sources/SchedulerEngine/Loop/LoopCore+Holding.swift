import ReactiveCore
import ReactiveSupport
import Synchronization

/// Which thread may touch the loop's state.
extension LoopCore {
    /// Whether this thread is the one that runs the loop.
    var isRunningHere: Bool { runningThread.load(ordering: .relaxed) == ThreadIdentity.current }

    /// How many turns have begun, for the loop's own work; 0 for anybody else.
    var turn: UInt64 { isRunningHere ? state.value.turn : 0 }

    /// Runs `body` with the loop's state, on the loop's thread or on a loop that nobody runs.
    func withState<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        if isForked { throw error(.forked, operation) }
        if isRunningHere { return try body(state.value) }
        // Between a host's turns the state is free; whose it is does not depend on that.
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

    /// The same for what has to speak to the poller, which must not be called from inside its own wait: there only
    /// callbacks of the C library's run.
    func withPoller<Result>(
        _ operation: String,
        _ body: (LoopState) throws(LoopError) -> Result
    ) throws(LoopError) -> Result {
        try withState(operation) { (state) throws(LoopError) in
            if state.poll == .waiting {
                throw LoopError(
                    .wrongThread,
                    "\(operation) on loop \(name): a callback of the C library's is running; call this from the loop's own work (execute)"
                )
            }
            return try body(state)
        }
    }

    /// Whether this is a child of the process that made the loop. The kernel's side of the poller is still the parent's, and the
    /// loop's locks may be held for good by threads that only the parent has. So every entry asks this first (rule F3).
    @inline(__always)
    var isForked: Bool { forkGeneration != ThreadIdentity.forkGeneration }

    /// The same for what is documented to trap on the wrong thread. A loop that is over lets its entries be read.
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
