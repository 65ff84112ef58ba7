// SPDX-License-Identifier: MIT
/// The settings of connection attempts and of the resulting connection.
public struct ConnectSettings: Sendable {
    /// The time limit for all attempts together. After it, connecting fails with `timedOut`. The default is 30 seconds.
    ///
    /// With a value of zero or less, connecting succeeds only if an attempt succeeds immediately.
    public var timeout: Duration
    /// The delay after which the next address is tried in parallel (Happy Eyeballs). The default is 250 milliseconds
    /// (RFC 8305 section 5).
    public var attemptDelay: Duration
    /// The local address. `nil` lets the system pick one.
    ///
    /// An attempt to connect to another address family fails with `systemCall`. The file of a Unix path is removed when
    /// the connection closes.
    public var localAddress: SocketAddress?
    /// Options to set before binding and connecting, in order. `TCP_NODELAY` is on by default (rule N20).
    public var options: [SocketSetting]
    /// The watermarks of the connection.
    public var watermarks: Watermarks
    /// Creates the transformer of each connection (``ConnectionTransformer``). It is called on the loop, after an
    /// attempt has succeeded. `nil` means none.
    public var transformer: (@Sendable () -> any ConnectionTransformer)?

    /// The PROXY header to send before any other byte, even before the handshake of the transformer. `nil` means none.
    ///
    /// ```swift
    /// settings.proxyHeader = ProxyHeader(.v2, forwarding: client)
    /// ```
    public var proxyHeader: ProxyHeader?

    /// Creates settings. Each parameter sets the property with the same name.
    public init(
        timeout: Duration = .seconds(30),
        attemptDelay: Duration = .milliseconds(250),
        localAddress: SocketAddress? = nil,
        options: [SocketSetting] = [],
        watermarks: Watermarks = Watermarks(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
        proxyHeader: ProxyHeader? = nil
    ) {
        self.timeout = timeout
        self.attemptDelay = attemptDelay
        self.localAddress = localAddress
        self.options = options
        self.watermarks = watermarks
        self.transformer = transformer
        self.proxyHeader = proxyHeader
    }
}
