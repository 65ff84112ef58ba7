/// What a child process gets as its standard input, output or error.
public enum ChildStream: Sendable, Hashable {
    /// A ``Connection`` to this process. For the child it is a socket, not a pipe: all the same to read and write, but it
    /// cannot be opened again as `/dev/stdout`.
    case piped
    /// What this process has itself.
    case inherited
    /// `/dev/null`: no input, and output for nobody.
    case null
}
