// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

extension Repetition {
    /// Returns the deadline that follows `deadline`. With a fixed delay, `now` is the instant at which the work has
    /// returned. With a fixed rate, `now` may also be a later instant of the same turn.
    ///
    /// With a fixed rate, all deadlines stay on the grid that starts at the first one. One firing, which is due
    /// immediately, replaces all missed firings (rule T13).
    package func next(after deadline: LoopInstant, now: LoopInstant) -> LoopInstant {
        base.next(after: deadline, step: interval.saturatedNanoseconds, now: now)
    }
}

extension Repetition.Base {
    /// Returns the deadline that follows `deadline` at the instant `now`. `step` is the interval in nanoseconds.
    func next(after deadline: LoopInstant, step: Int64, now: LoopInstant) -> LoopInstant {
        guard step > 0 else { return now }
        switch self {
        case .delay: return now.advanced(byNanoseconds: step)
        case .rate:
            let following = deadline.advanced(byNanoseconds: step)
            if following >= now { return following }
            // The result is the latest instant of the grid that has passed. Its firing replaces all missed firings. The
            // distance of two instants can overflow an `Int64`, but not a `UInt64`.
            let late = UInt64(bitPattern: now.nanoseconds &- following.nanoseconds)
            let whole = late / UInt64(step) * UInt64(step)
            return LoopInstant(nanoseconds: following.nanoseconds &+ Int64(bitPattern: whole))
        }
    }
}
