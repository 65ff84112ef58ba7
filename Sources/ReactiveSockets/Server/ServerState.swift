// SPDX-License-Identifier: MIT
/// The state of a server. It changes only in the order of the cases.
public enum ServerState: Sendable, Hashable, Comparable {
    /// It accepts peers and serves them.
    case serving
    /// It accepts no peers, and waits until its connections end.
    case draining
    /// All its sockets are closed. This state is final.
    case stopped
}
