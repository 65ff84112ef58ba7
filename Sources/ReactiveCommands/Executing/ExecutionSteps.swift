// SPDX-License-Identifier: MIT
/// The steps that an execution has made. Each step is added atomically, so the thread that begins the execution and a
/// thread that cancels it see each other's steps.
@usableFromInline
struct ExecutionSteps: OptionSet, Sendable {
    @usableFromInline
    let rawValue: Int

    @usableFromInline
    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The call that begins the work is under way, or has returned.
    @usableFromInline
    static let isBeginning = ExecutionSteps(rawValue: 1)
    /// The call that begins the work has returned. From now on, the cancelling thread ends the execution.
    @usableFromInline
    static let hasBegun = ExecutionSteps(rawValue: 2)
    @usableFromInline
    static let isBroken = ExecutionSteps(rawValue: 4)
    /// The execution has ended, and another one must begin.
    @usableFromInline
    static let hasFollowing = ExecutionSteps(rawValue: 8)
    /// `begin()` no longer takes the next execution. From now on the thread that ends this execution begins the next
    /// one.
    @usableFromInline
    static let hasReturned = ExecutionSteps(rawValue: 16)
}
