/// How long a connection may do nothing, and how long it may last.
public struct ConnectionTimeouts: Sendable, Hashable {
    /// Without a byte received or taken by the kernel for so long, it breaks off; nil for as long as it likes.
    public var idle: Duration?
    /// So long after this was set it breaks off, whatever it does; nil for as long as it likes.
    public var maxLifetime: Duration?

    /// Makes timeouts. A duration below a millisecond counts as one.
    public init(idle: Duration? = nil, maxLifetime: Duration? = nil) {
        self.idle = idle.map { max($0, .milliseconds(1)) }
        self.maxLifetime = maxLifetime.map { max($0, .milliseconds(1)) }
    }
}
