/// How many executions a command lets in at a time, and what becomes of the others.
public struct CommandStrategy: Sendable, Hashable {
    /// What a queue does with an execution when it is full.
    public enum FullPolicy: Sendable, Hashable {
        /// The new one is rejected as ``Rejection/full``.
        case reject
        /// The one that has waited longest ends with ``Rejection/dropped``, and the new one waits.
        case dropOldest
    }

    @usableFromInline
    let running: Int
    @usableFromInline
    let waiting: Int
    private let whenFull: FullPolicy
    @usableFromInline
    let isLatest: Bool

    private init(running: Int, waiting: Int = 0, whenFull: FullPolicy = .reject, isLatest: Bool = false) {
        self.running = max(1, running)
        self.waiting = max(0, waiting)
        self.whenFull = whenFull
        self.isLatest = isLatest
    }

    /// Whether a full queue takes one more, for the oldest.
    @usableFromInline
    var dropsOldest: Bool { waiting > 0 && whenFull == .dropOldest }

    /// Lets in one at a time; meanwhile the others are rejected as ``Rejection/busy``.
    public static let serial = CommandStrategy(running: 1)

    /// Lets in `limit` at a time, less than one counting as one; the others are rejected as ``Rejection/busy``.
    public static func concurrent(limit: Int = .max) -> CommandStrategy { CommandStrategy(running: limit) }

    /// Lets in `running` at a time, less than one counting as one; up to `limit` others wait, and begin in their order.
    ///
    /// With a limit of zero nobody waits, which is ``concurrent(limit:)`` but for the reason given.
    public static func queue(
        limit: Int,
        running: Int = 1,
        whenFull: FullPolicy = .reject
    ) -> CommandStrategy {
        CommandStrategy(running: running, waiting: limit, whenFull: whenFull)
    }

    /// Lets in everyone; the execution before ends with ``CommandError/cancelled`` before the new work begins.
    ///
    /// No two works overlap, teardowns included: the new work begins when the last teardown of the old one has returned, on
    /// that teardown's thread. A function that is running is not interrupted: its result is dropped, and the new work begins on
    /// its thread when it has returned. Of several executions that come before that, the last one begins. A work whose emitter is
    /// sending the end is not cancelled any more: it ends with that. Where the end waits behind the work's values, because the
    /// execution is paused or a delivery is under way, the work is cancelled.
    public static let latest = CommandStrategy(running: 1, isLatest: true)
}
