// SPDX-License-Identifier: MIT
/// The time limits of a connection, each named after what it measures. By default there is only ``halfClosed``.
///
/// | Limit | Counts while | Starts over with |
/// |---|---|---|
/// | ``idle`` | reading is not paused and no HTTP service works, or bytes wait to be sent | a byte in either direction |
/// | ``readStalled`` | the connection reads, and no HTTP service works | a received byte |
/// | ``writeStalled`` | bytes wait to be sent | a byte that the peer accepts |
/// | ``halfClosed`` | the peer has ended its stream, and this side does not delay it | a byte in either direction |
/// | ``lifetime`` | always | ``Connection/setTimeouts(_:)`` |
///
/// A connection reads while `received` has a subscriber that is not paused. A pause, for example by `rateLimit` or by
/// back-pressure, is not the peer's silence. When the connection reads again, ``idle`` and ``readStalled`` start over.
///
/// A duration below one millisecond, even a negative one, counts as one millisecond.
public struct ConnectionTimeouts: Sendable, Hashable {
    /// The default of ``halfClosed``, which connections without any limits have too.
    static let defaultHalfClosed = Duration.seconds(60)

    /// The maximum time in which a connection waits for its peer, and no byte is received or accepted. `nil` means no
    /// limit.
    ///
    /// It does not count while the subscriber of `received` is paused, unless bytes wait to be sent. So a peer that does not
    /// read is found although back-pressure has paused the receiver. It counts while `received` has no subscriber, and after
    /// the peer's end of stream. Before that end, it does not count while a service of an HTTP server works and waits for no
    /// byte of the client, unless bytes wait to be sent.
    public var idle: Duration? { didSet { idle = Self.limit(idle) } }
    /// The maximum time in which a connection reads and receives no byte, whatever it sends. `nil` means no limit.
    ///
    /// It does not count after the peer's end of stream, and while a service of an HTTP server works and waits for no byte of the
    /// client.
    public var readStalled: Duration? { didSet { readStalled = Self.limit(readStalled) } }
    /// The maximum time in which bytes wait to be sent and the peer accepts none, whatever it sends. `nil` means no
    /// limit.
    ///
    /// Bytes wait while the kernel's send buffer is full. A byte that the peer's system acknowledges is accepted, so a
    /// slow peer is not stalled.
    public var writeStalled: Duration? { didSet { writeStalled = Self.limit(writeStalled) } }
    /// The maximum time in which a connection lives after its peer's end of stream while no byte moves. `nil` means no limit.
    ///
    /// TCP cannot say whether a peer that has ended its stream still reads or has left (RFC 9293 section 3.6). A byte
    /// moves when it is received, when the kernel accepts it, and when the peer's system acknowledges it. In a pipe, the
    /// bytes of both connections count. The limit counts without a subscriber of `received`. While that subscriber is
    /// paused, it counts only if ``Connection/send(from:)`` sends the subscriber's output back to the peer, if bytes wait
    /// to be sent, on a connection of an HTTP server, and after an upgrade of HTTP. Behind `share`, it counts if the
    /// connection sends any signal. A delivered chunk of a body or message of a WebSocket counts as a byte. With a
    /// transformer, the end is that of its protocol or that of the socket. An end of stream behind unread bytes is
    /// noticed up to a quarter of the limit later. The limit does not count after
    /// ``Connection/close()``, which has its own.
    ///
    /// The default is 60 seconds. Every connection has it as soon as it receives, sends or has an observer of
    /// ``Connection/ended``, even without a call of ``Connection/setTimeouts(_:)``. Only the streams of a
    /// ``ChildProcess`` have no limit before such a call.
    public var halfClosed: Duration? { didSet { halfClosed = Self.limit(halfClosed) } }
    /// The maximum lifetime, counted from ``Connection/setTimeouts(_:)``. `nil` means no limit.
    public var lifetime: Duration? { didSet { lifetime = Self.limit(lifetime) } }

    /// Creates time limits.
    public init(
        idle: Duration? = nil,
        readStalled: Duration? = nil,
        writeStalled: Duration? = nil,
        halfClosed: Duration? = .seconds(60),
        lifetime: Duration? = nil
    ) {
        self.idle = Self.limit(idle)
        self.readStalled = Self.limit(readStalled)
        self.writeStalled = Self.limit(writeStalled)
        self.halfClosed = Self.limit(halfClosed)
        self.lifetime = Self.limit(lifetime)
    }
    private static func limit(_ duration: Duration?) -> Duration? { duration.map { max($0, .milliseconds(1)) } }
}
