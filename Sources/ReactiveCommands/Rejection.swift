// SPDX-License-Identifier: MIT
/// The reason why an execution was rejected. Its work is never called.
public struct Rejection: Sendable, Hashable, CustomStringConvertible {
    /// The name in logs: `disabled`, `busy`, `full`, `dropped`, `overloaded` or `ended`.
    public let description: String

    /// The condition is false, or the command's state does not allow the execution.
    public static let disabled = Rejection(description: "disabled")

    /// The maximum number of executions is under way, and the strategy has no queue. Try again when
    /// ``Command/isEnabled`` is true.
    public static let busy = Rejection(description: "busy")

    /// The queue is full. Try again when ``Command/isEnabled`` is true.
    public static let full = Rejection(description: "full")

    /// The queue was full. The execution had waited longest, so it was dropped in favour of a newer one.
    public static let dropped = Rejection(description: "dropped")

    /// The command's ``LoadLimiter`` admits no more requests, or the execution has waited too long.
    public static let overloaded = Rejection(description: "overloaded")

    /// The command has ended, so it rejects every execution.
    public static let ended = Rejection(description: "ended")
}
