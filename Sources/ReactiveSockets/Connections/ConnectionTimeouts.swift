// SPDX-License-Identifier: MIT
/// The time limits of a connection. Without any, a connection has no limit.
public struct ConnectionTimeouts: Sendable, Hashable {
    /// The maximum time without a byte received or accepted by the kernel. `nil` means no limit.
    public var idle: Duration?
    /// The maximum lifetime, counted from ``Connection/setTimeouts(_:)``. `nil` means no limit.
    public var maxLifetime: Duration?

    /// Creates time limits. A duration below one millisecond, also a negative one, counts as one millisecond.
    public init(idle: Duration? = nil, maxLifetime: Duration? = nil) {
        self.idle = idle.map { max($0, .milliseconds(1)) }
        self.maxLifetime = maxLifetime.map { max($0, .milliseconds(1)) }
    }
}
