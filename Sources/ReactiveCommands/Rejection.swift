// SPDX-License-Identifier: MIT
/// The reason why an execution was rejected. Its work is never called.
public struct Rejection: Sendable, Hashable, CustomStringConvertible {
    /// The name in logs: `disabled`, `busy`, `full`, `dropped`, `overloaded` or `ended`.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The condition is false, or the command's state does not allow the execution.
    public static let disabled = Rejection("disabled")

    /// The maximum number of executions is under way, and the strategy has no queue. Try again when
    /// ``Command/isEnabled`` is true.
    public static let busy = Rejection("busy")

    /// The queue is full. Try again when ``Command/isEnabled`` is true.
    public static let full = Rejection("full")

    /// The queue was full. The execution had waited longest, so it was dropped in favour of a newer one.
    public static let dropped = Rejection("dropped")

    /// The command's ``LoadLimiter`` admits no more requests, or the execution has waited too long.
    public static let overloaded = Rejection("overloaded")

    /// The command has ended, so it rejects every execution.
    public static let ended = Rejection("ended")
}
