package import ReactiveCore
import ReactiveSupport

extension Repetition {
    /// The deadline that follows `deadline` as of `now`: for a fixed delay when the work has returned, at a fixed rate then or later in the
    /// turn.
    ///
    /// At a fixed rate the deadlines stay on the grid that the first one began; those that have passed are made up by one firing,
    /// which is due at once (rule T13).
    package func next(after deadline: LoopInstant, now: LoopInstant) -> LoopInstant {
        base.next(after: deadline, step: interval.saturatedNanoseconds, now: now)
    }
}

extension Repetition.Base {
    /// The same where the interval is nanoseconds already.
    func next(after deadline: LoopInstant, step: Int64, now: LoopInstant) -> LoopInstant {
        guard step > 0 else { return now }
        switch self {
        case .delay: return now.advanced(byNanoseconds: step)
        case .rate:
            let following = deadline.advanced(byNanoseconds: step)
            if following >= now { return following }
            // The latest instant of the grid that has passed: its firing stands for all that were missed.
            // Two instants can be further apart than an Int64 says, though not than an unsigned one.
            let late = UInt64(bitPattern: now.nanoseconds &- following.nanoseconds)
            let whole = late / UInt64(step) * UInt64(step)
            return LoopInstant(nanoseconds: following.nanoseconds &+ Int64(bitPattern: whole))
        }
    }
}
