import ReactiveCore
import ReactiveSupport

/// Who holds a loop's state, and whether it is over: a value, changed under a lock, that says what to do next.
struct Lifecycle {
    enum Phase: Equatable {
        /// The thread that the loop owns has yet to begin: nobody else gets in before it.
        case starting
        case idle
        case running(thread: UInt)
        /// Held for one short call by a thread that does not run the loop.
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

    /// A thread wants to run the loop.
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

    /// A thread wants the state for one call.
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

    /// The run or the call is over. True where the loop is now to be taken down, by the caller, who still holds the state.
    mutating func end() -> Bool {
        if isDisposeRequested { return true }
        phase = .idle
        return false
    }

    func isHeld(by thread: UInt) -> Bool { phase == .running(thread: thread) || phase == .borrowed(thread: thread) }

    /// What the caller of `dispose` has to do.
    enum Disposal: Equatable {
        /// Take the loop down now: the caller holds the state.
        case now
        /// The present holder does it when it is through.
        case later
        /// It is done or under way already.
        case alreadyRequested
    }

    /// `isHere` is false on a guest where the caller is not its host's thread, which takes it down.
    mutating func requestDisposal(on thread: UInt, isHere: Bool = true) -> Disposal {
        if isDisposeRequested || phase == .disposed { return .alreadyRequested }
        isDisposeRequested = true
        if phase == .idle, isHere {
            phase = .borrowed(thread: thread)
            return .now
        }
        return .later
    }

    mutating func disposed() {
        phase = .disposed
    }
}
