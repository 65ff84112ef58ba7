/// Which thread runs a loop.
public enum LoopThread: Sendable, Hashable {
    /// One that the loop makes for itself, and that runs it until it is disposed.
    case owned
    /// Whichever calls `run`, one at a time.
    case caller
    /// The process's main thread, which calls `run`. Such a loop serves `DispatchQueue.main`, and with it `@MainActor`.
    case main
    /// Somebody else's, which runs a loop of which this one is a guest.
    case host
}
