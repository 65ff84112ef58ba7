// SPDX-License-Identifier: MIT
/// The source or destination of a child's standard stream.
public enum ChildStream: Sendable, Hashable {
    /// A socket pair: this process has a ``Connection`` to the stream.
    ///
    /// The child's end is a socket, not a pipe. It reads and writes like a pipe, but cannot be reopened as
    /// `/dev/stdout`.
    case piped
    /// The corresponding stream of this process.
    case inherited
    /// `/dev/null`: the input is empty, and output is discarded.
    case null
}
