// SPDX-License-Identifier: MIT
extension CommandStrategy {
    /// Returns the same strategy, which rejects executions as ``Rejection/overloaded`` while `limiter` admits no more.
    ///
    /// An execution counts from its submission to its end. So the time in the command's queue counts too. With a
    /// ``QueueTimeLimit``, an execution that has waited too long is rejected when it would begin. An execution that is
    /// cancelled is not measured.
    ///
    /// ``Command/isEnabled`` does not consider the limiter. ``RequestPolicy/wait`` does not wait for it: the request is
    /// rejected.
    ///
    /// - Parameter limiter: The limiter. Several commands may share it.
    public func limited(by limiter: LoadLimiter) -> CommandStrategy {
        var strategy = self
        strategy.limiting = Limiting(limiter: limiter)
        return strategy
    }

    /// The limiter of a strategy. Two are equal if they are the same object.
    @usableFromInline
    struct Limiting: Sendable, Hashable {
        @usableFromInline
        let limiter: LoadLimiter

        @usableFromInline
        static func == (one: Limiting, other: Limiting) -> Bool { one.limiter === other.limiter }

        @usableFromInline
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(limiter)) }
    }
}
