/// Why an execution was not let in.
public struct Rejection: Sendable, Hashable, CustomStringConvertible {
    /// What it is called in logs: `disabled`, `busy`, `full`, `dropped` or `ended`.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The condition does not hold.
    public static let disabled = Rejection("disabled")

    /// As many executions are under way as the strategy allows, and it lets none wait.
    public static let busy = Rejection("busy")

    /// As many wait as the queue takes.
    public static let full = Rejection("full")

    /// It had waited in a full queue, longer than all others, and made room for a newer one.
    public static let dropped = Rejection("dropped")

    /// The command is over.
    public static let ended = Rejection("ended")
}
