/// Where a server is in its life; it only goes forward.
public enum ServerState: Sendable, Hashable, Comparable {
    /// It accepts peers.
    case serving
    /// It accepts nobody, and waits for the connections that there are.
    case draining
    /// Nothing is left.
    case stopped
}
