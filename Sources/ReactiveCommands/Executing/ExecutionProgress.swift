// SPDX-License-Identifier: MIT
import Synchronization

/// The steps of an execution. Each step is added atomically, so the thread that begins the execution and a thread that
/// cancels it see each other's steps.
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
        /// The call that begins the work has returned. From now on, the cancelling thread ends the execution.
        @usableFromInline
        static let hasBegun = Steps(rawValue: 2)
        @usableFromInline
        static let isBroken = Steps(rawValue: 4)
        /// The execution has ended, and another one must begin.
        @usableFromInline
        static let hasFollowing = Steps(rawValue: 8)
        /// `begin()` no longer takes the next execution. From now on the thread that ends this execution begins the
        /// next one.
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
