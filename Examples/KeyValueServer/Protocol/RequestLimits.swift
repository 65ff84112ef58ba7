/// How much one request may be.
struct RequestLimits: Sendable {
    /// Bytes of a whole request; one that will have more ends its connection as soon as that is known.
    var bytes = 512 * 1024 * 1024
    /// Arguments, the command's name among them.
    var arguments = 1024 * 1024
    /// Bytes of a line: a request in one, or a count.
    var line = 64 * 1024
}
