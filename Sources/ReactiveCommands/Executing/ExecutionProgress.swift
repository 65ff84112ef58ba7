import Synchronization

/// How far an execution has come: who begins it and who breaks it off, on two threads, each see what the other has done.
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
        /// It has returned: who breaks the work off from now on ends it, too.
        @usableFromInline
        static let hasBegun = Steps(rawValue: 2)
        @usableFromInline
        static let isBroken = Steps(rawValue: 4)
        /// It has ended, and another one is to begin.
        @usableFromInline
        static let hasFollowing = Steps(rawValue: 8)
        /// The one who has begun the work looks for the next no more: who ends it from now on begins the next.
        @usableFromInline
        static let hasReturned = Steps(rawValue: 16)
    }

    private let steps = Atomic<Int>(0)

    @usableFromInline
    init() {}

    /// Adds a step, and gives those before it.
    @usableFromInline
    func add(_ step: Steps) -> Steps {
        Steps(rawValue: steps.bitwiseOr(step.rawValue, ordering: .acquiringAndReleasing).oldValue)
    }
}
