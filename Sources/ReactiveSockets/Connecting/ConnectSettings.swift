/// How to connect: how long it may take, and what the connection is to be like.
public struct ConnectSettings: Sendable {
    /// After so long it fails with `timedOut`, however many addresses were left. 30 s unless said otherwise.
    public var timeout: Duration
    /// With several addresses: an address that has not answered for so long gets company by the next one (RFC 8305). 250 ms
    /// unless said otherwise.
    public var attemptDelay: Duration
    /// The address of this end; nil lets the system pick one.
    public var localAddress: SocketAddress?
    /// For the socket, set before it connects. `TCP_NODELAY` is on unless said otherwise.
    public var options: [SocketSetting]
    /// For the connection.
    public var watermarks: Watermarks
    /// Makes what stands between the connection and its descriptor; see ``ConnectionTransformer``.
    public var transformer: (@Sendable () -> any ConnectionTransformer)?

    /// Makes settings.
    public init(
        timeout: Duration = .seconds(30),
        attemptDelay: Duration = .milliseconds(250),
        localAddress: SocketAddress? = nil,
        options: [SocketSetting] = [],
        watermarks: Watermarks = Watermarks(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil
    ) {
        self.timeout = timeout
        self.attemptDelay = attemptDelay
        self.localAddress = localAddress
        self.options = options
        self.watermarks = watermarks
        self.transformer = transformer
    }
}
