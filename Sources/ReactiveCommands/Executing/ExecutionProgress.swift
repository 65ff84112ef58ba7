// SPDX-License-Identifier: MIT
import Synchronization

/// The steps of an execution. The thread that begins it and the one that cancels it each see what the other has done.
@usableFromInline
final class ExecutionProgress: Sendable {
    @usableFromInline
    struct Steps: OptionSet, Sendable {
        @usableFromInline
        let rawValue: Int

        @usableFromInline
        init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The call that begins the work is under way, or has returned.
        @usableFromInline
        static let isBeginning = Steps(rawValue: 1)
        /// That call has returned: a later cancellation also ends the execution.
        @usableFromInline
        static let hasBegun = Steps(rawValue: 2)
        @usableFromInline
        static let isBroken = Steps(rawValue: 4)
        /// The execution has ended, and another one must begin.
        @usableFromInline
        static let hasFollowing = Steps(rawValue: 8)
        /// The call that begins the work no longer looks for the next execution: a later end also begins the next one.
        @usableFromInline
        static let hasReturned = Steps(rawValue: 16)
    }

    private let steps = Atomic<Int>(0)

    @usableFromInline
    init() {}

    /// Adds a step. Returns the earlier ones.
    @usableFromInline
    func add(_ step: Steps) -> Steps {
        Steps(rawValue: steps.bitwiseOr(step.rawValue, ordering: .acquiringAndReleasing).oldValue)
    }
}
