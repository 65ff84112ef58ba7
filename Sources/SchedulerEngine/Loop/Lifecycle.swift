// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// Which thread holds a loop's state, and whether the loop is disposed. Only the thread that holds the state may access
/// it.
///
/// The loop changes this value under a lock. Each method returns what the caller must do next.
struct Lifecycle {
    enum Phase: Equatable {
        /// The loop owns a thread that has not begun to run. Until it does, no thread can obtain the state.
        case starting
        case idle
        case running(thread: UInt)
        /// A thread that does not run the loop holds the state for one short call.
        case borrowed(thread: UInt)
        case disposed
    }

    enum Access: Equatable {
        case granted
        case alreadyHeld
        case tryAgain
        case refused(LoopError.Code)
    }

    private(set) var phase: Phase
    private(set) var isDisposeRequested = false

    init(isOwned: Bool) {
        phase = isOwned ? .starting : .idle
    }

    /// Requests the state in order to run the loop.
    mutating func beginRun(on thread: UInt) -> Access {
        switch phase {
        case .idle, .starting:
            phase = .running(thread: thread)
            return .granted
        case .borrowed(thread): return .refused(.alreadyRunning)
        case .borrowed: return .tryAgain
        case .running: return .refused(.alreadyRunning)
        case .disposed: return .refused(.disposed)
        }
    }

    /// Requests the state for one call.
    mutating func borrow(on thread: UInt) -> Access {
        switch phase {
        case .idle:
            phase = .borrowed(thread: thread)
            return .granted
        case .running(thread), .borrowed(thread): return .alreadyHeld
        case .borrowed: return .tryAgain
        case .running, .starting: return .refused(.wrongThread)
        case .disposed: return .refused(.disposed)
        }
    }

    /// Ends the run or the call. Returns true if the caller still holds the state and must call `takeDown`.
    mutating func end() -> Bool {
        if isDisposeRequested { return true }
        phase = .idle
        return false
    }

    func isHeld(by thread: UInt) -> Bool { phase == .running(thread: thread) || phase == .borrowed(thread: thread) }

    /// What the caller of `dispose` must do.
    enum Disposal: Equatable {
        /// Call `takeDown` now. The caller holds the state.
        case now
        /// Wake the loop. `takeDown` is called by the thread that holds the state, when its run or call ends, or by the
        /// host's thread.
        case later
        /// Nothing. An earlier call has requested the disposal.
        case alreadyRequested
    }

    /// Records a request to dispose the loop. `isHere` is false if the loop is a guest and the caller is not on its
    /// host's thread. Then the host's thread calls `takeDown` later.
    mutating func requestDisposal(on thread: UInt, isHere: Bool = true) -> Disposal {
        if isDisposeRequested || phase == .disposed { return .alreadyRequested }
        isDisposeRequested = true
        if phase == .idle, isHere {
            phase = .borrowed(thread: thread)
            return .now
        }
        return .later
    }

    /// Records that no thread can obtain the state any more.
    mutating func finishDisposal() {
        phase = .disposed
    }
}
