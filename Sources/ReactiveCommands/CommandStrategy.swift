// SPDX-License-Identifier: MIT
/// How many executions a command admits at a time, and what happens to the others.
public struct CommandStrategy: Sendable, Hashable {
    /// The policy for a new execution when the queue is full.
    public enum FullPolicy: Sendable, Hashable {
        /// Rejects the new execution as ``Rejection/full``.
        case reject
        /// Rejects the execution that has waited longest as ``Rejection/dropped``, and queues the new one.
        case dropOldest
    }

    @usableFromInline
    let running: Int
    @usableFromInline
    let waiting: Int
    private let whenFull: FullPolicy
    @usableFromInline
    let isLatest: Bool
    @usableFromInline
    var limiting: Limiting?

    private init(running: Int, waiting: Int = 0, whenFull: FullPolicy = .reject, isLatest: Bool = false) {
        self.running = max(1, running)
        self.waiting = max(0, waiting)
        self.whenFull = whenFull
        self.isLatest = isLatest
    }

    /// Whether a full queue drops its oldest execution for a new one.
    @usableFromInline
    var dropsOldest: Bool { waiting > 0 && whenFull == .dropOldest }

    /// Admits one execution at a time. Others are rejected as ``Rejection/busy``.
    public static let serial = CommandStrategy(running: 1)

    /// Admits `limit` executions at a time, and rejects others as ``Rejection/busy``. A limit below 1 counts as 1. By
    /// default there is no limit.
    public static func concurrent(limit: Int = .max) -> CommandStrategy { CommandStrategy(running: limit) }

    /// Admits `running` executions at a time. Up to `limit` others wait, and begin in order.
    ///
    /// - Parameters:
    ///   - limit: How many executions may wait. With zero or less, no execution may wait.
    ///   - running: How many executions may run at a time. Less than one counts as one.
    ///   - whenFull: The policy for a new execution when the queue is full.
    public static func queue(
        limit: Int,
        running: Int = 1,
        whenFull: FullPolicy = .reject
    ) -> CommandStrategy {
        CommandStrategy(running: running, waiting: limit, whenFull: whenFull)
    }

    /// Admits every execution. The previous one ends with ``CommandError/cancelled`` before the new work begins.
    ///
    /// Executions do not overlap, teardowns included. The new work begins when the last teardown of the old one has
    /// returned, on that teardown's thread. If several executions are submitted before that, only the last one begins.
    /// The others end with ``CommandError/cancelled``.
    ///
    /// A running function is not interrupted: its result is dropped, and the new work begins on its thread after it has
    /// returned.
    ///
    /// If the emitter of the previous work is already sending the termination, that execution is not cancelled, and
    /// ends with this termination. If the termination still waits behind values, because the execution is
    /// paused or a value is being delivered, the execution is cancelled.
    public static let latest = CommandStrategy(running: 1, isLatest: true)
}
