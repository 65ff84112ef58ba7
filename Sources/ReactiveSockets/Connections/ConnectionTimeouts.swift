// SPDX-License-Identifier: MIT
/// The time limits of a connection. By default there are none.
public struct ConnectionTimeouts: Sendable, Hashable {
    /// The maximum time during which no byte is received and the kernel accepts no byte to send. `nil` means no limit.
    public var idle: Duration?
    /// The maximum lifetime, counted from ``Connection/setTimeouts(_:)``. `nil` means no limit.
    public var maxLifetime: Duration?

    /// Creates time limits. A duration below one millisecond counts as one millisecond.
    public init(idle: Duration? = nil, maxLifetime: Duration? = nil) {
        self.idle = idle.map { max($0, .milliseconds(1)) }
        self.maxLifetime = maxLifetime.map { max($0, .milliseconds(1)) }
    }
}
