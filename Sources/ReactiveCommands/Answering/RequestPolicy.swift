/// What requests do when the command takes no more.
public enum RequestPolicy: Sendable, Hashable {
    /// They are paused, and the first that had no place gets the next that is free: before those who execute directly, and in
    /// the order in which they came where several signals wait. A queue that drops its oldest always takes one more.
    case wait
    /// They are rejected, as an execution that is asked for directly.
    case reject
}
