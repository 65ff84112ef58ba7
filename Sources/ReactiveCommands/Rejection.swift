/// Why an execution was rejected.
public struct Rejection: Sendable, Hashable, CustomStringConvertible {
    /// The name in logs: `disabled`, `busy`, `full`, `dropped` or `ended`.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The condition does not hold.
    public static let disabled = Rejection("disabled")

    /// As many executions are under way as the strategy allows, and none may wait.
    public static let busy = Rejection("busy")

    /// The queue is full.
    public static let full = Rejection("full")

    /// The execution had waited longest in a full queue, and was dropped for a newer one.
    public static let dropped = Rejection("dropped")

    /// The command has ended.
    public static let ended = Rejection("ended")
}
