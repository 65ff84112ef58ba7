/// The settings of connection attempts and of the resulting connection.
public struct ConnectSettings: Sendable {
    /// The time limit for all attempts together. Then connecting fails with `timedOut`. The default is 30 seconds.
    public var timeout: Duration
    /// The delay after which the next address is tried in parallel (Happy Eyeballs, RFC 8305). The default is 250 milliseconds.
    public var attemptDelay: Duration
    /// The local address. If nil, the system picks one.
    public var localAddress: SocketAddress?
    /// Options to set before connecting. `TCP_NODELAY` is on by default.
    public var options: [SocketSetting]
    /// The watermarks of the connection.
    public var watermarks: Watermarks
    /// Creates the transformer of each connection; see ``ConnectionTransformer``. nil means none.
    public var transformer: (@Sendable () -> any ConnectionTransformer)?

    /// Creates settings. Each parameter sets the property of its name.
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
