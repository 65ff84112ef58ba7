/// What happens to requests when the command admits no more.
public enum RequestPolicy: Sendable, Hashable {
    /// They are paused. The first request that is not admitted gets the next free slot: before direct executions, and
    /// in the order of arrival if several signals wait. A queue that drops its oldest always admits one more.
    case wait
    /// They are rejected, as direct executions are.
    case reject
}
