// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

extension Repetition {
    /// The deadline that follows `deadline`, as of `now`. For a fixed delay `now` is when the work has returned; at a
    /// fixed rate it is then or later in the turn.
    ///
    /// At a fixed rate all deadlines stay on the grid that starts at the first one. One firing, which is due at once,
    /// replaces all that were missed (rule T13).
    package func next(after deadline: LoopInstant, now: LoopInstant) -> LoopInstant {
        base.next(after: deadline, step: interval.saturatedNanoseconds, now: now)
    }
}

extension Repetition.Base {
    /// The deadline that follows `deadline`, as of `now`. `step` is the interval in nanoseconds.
    func next(after deadline: LoopInstant, step: Int64, now: LoopInstant) -> LoopInstant {
        guard step > 0 else { return now }
        switch self {
        case .delay: return now.advanced(byNanoseconds: step)
        case .rate:
            let following = deadline.advanced(byNanoseconds: step)
            if following >= now { return following }
            // The latest instant of the grid that has passed: its firing replaces all that were missed. The distance of
            // two instants can overflow an Int64, but not an unsigned one.
            let late = UInt64(bitPattern: now.nanoseconds &- following.nanoseconds)
            let whole = late / UInt64(step) * UInt64(step)
            return LoopInstant(nanoseconds: following.nanoseconds &+ Int64(bitPattern: whole))
        }
    }
}
