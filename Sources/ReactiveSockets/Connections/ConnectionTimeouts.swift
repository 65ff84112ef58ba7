// SPDX-License-Identifier: MIT
/// The time limits of a connection, each named after what it measures. By default there are none.
///
/// | Limit | Counts while | Starts over with |
/// |---|---|---|
/// | ``idle`` | the connection reads, or bytes wait to be sent | a byte in either direction |
/// | ``readStalled`` | the connection reads | a received byte |
/// | ``writeStalled`` | bytes wait to be sent | a byte that the peer accepts |
/// | ``lifetime`` | always | ``Connection/setTimeouts(_:)`` |
///
/// A connection reads while `received` has a subscriber that is not paused. A pause, for example by `rateLimit` or by
/// back-pressure, is not the peer's silence. When the connection reads again, ``idle`` and ``readStalled`` start over.
///
/// A duration below one millisecond, even a negative one, counts as one millisecond.
public struct ConnectionTimeouts: Sendable, Hashable {
    /// The maximum time in which a connection waits for its peer, and no byte is received or accepted. `nil` means no
    /// limit.
    ///
    /// It counts while the connection reads, and while bytes wait to be sent, even if reading is paused then. So a peer
    /// that does not read is found although back-pressure has paused the receiver. After the peer's end of stream it
    /// counts too, because nothing else would find a service that never ends its own stream.
    public var idle: Duration? { didSet { idle = Self.limit(idle) } }
    /// The maximum time in which a connection reads and receives no byte, whatever it sends. `nil` means no limit.
    ///
    /// It does not count after the peer's end of stream.
    public var readStalled: Duration? { didSet { readStalled = Self.limit(readStalled) } }
    /// The maximum time in which bytes wait to be sent and the peer accepts none, whatever it sends. `nil` means no
    /// limit.
    ///
    /// Bytes wait while the kernel's send buffer is full. A byte that the peer's system acknowledges is accepted, so a
    /// slow peer is not stalled.
    public var writeStalled: Duration? { didSet { writeStalled = Self.limit(writeStalled) } }
    /// The maximum lifetime, counted from ``Connection/setTimeouts(_:)``. `nil` means no limit.
    public var lifetime: Duration? { didSet { lifetime = Self.limit(lifetime) } }

    /// Creates time limits.
    public init(
        idle: Duration? = nil,
        readStalled: Duration? = nil,
        writeStalled: Duration? = nil,
        lifetime: Duration? = nil
    ) {
        self.idle = Self.limit(idle)
        self.readStalled = Self.limit(readStalled)
        self.writeStalled = Self.limit(writeStalled)
        self.lifetime = Self.limit(lifetime)
    }
    private static func limit(_ duration: Duration?) -> Duration? { duration.map { max($0, .milliseconds(1)) } }
}
