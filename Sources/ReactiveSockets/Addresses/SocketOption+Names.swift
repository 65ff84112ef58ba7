import Glibc

extension SocketOption where Value == Bool {
    /// `TCP_NODELAY`: small writes go out at once. On unless said otherwise (rule N20).
    public static var noDelay: SocketOption { SocketOption(flag: TCP_NODELAY, level: Int32(IPPROTO_TCP)) }
    /// `SO_KEEPALIVE`: a peer that is gone is noticed some time.
    public static var keepAlive: SocketOption { SocketOption(flag: SO_KEEPALIVE, level: SOL_SOCKET) }
    /// `SO_REUSEADDR`: a server can be restarted at once. On for listeners unless said otherwise (rule N6).
    public static var reuseAddress: SocketOption { SocketOption(flag: SO_REUSEADDR, level: SOL_SOCKET) }
    /// `SO_REUSEPORT`: several sockets at one address, among which the kernel spreads peers.
    public static var reusePort: SocketOption { SocketOption(flag: SO_REUSEPORT, level: SOL_SOCKET) }
    /// `SO_BROADCAST`: datagrams may go to a broadcast address.
    public static var broadcast: SocketOption { SocketOption(flag: SO_BROADCAST, level: SOL_SOCKET) }
    /// `IPV6_V6ONLY`: a wildcard of IPv6 does not take IPv4 as well. Off unless said otherwise (rule N16).
    public static var ipv6Only: SocketOption { SocketOption(flag: IPV6_V6ONLY, level: Int32(IPPROTO_IPV6)) }
}

extension SocketOption where Value == Int {
    /// `SO_SNDBUF`, in bytes. The system doubles it.
    public static var sendBufferSize: SocketOption { SocketOption(number: SO_SNDBUF, level: SOL_SOCKET) }
    /// `SO_RCVBUF`, in bytes. The system doubles it.
    public static var receiveBufferSize: SocketOption { SocketOption(number: SO_RCVBUF, level: SOL_SOCKET) }
    /// `TCP_KEEPIDLE`: seconds of silence before a peer is asked whether it is there.
    public static var keepAliveIdle: SocketOption { SocketOption(number: TCP_KEEPIDLE, level: Int32(IPPROTO_TCP)) }
    /// `TCP_KEEPINTVL`: seconds between one such question and the next.
    public static var keepAliveInterval: SocketOption {
        SocketOption(number: TCP_KEEPINTVL, level: Int32(IPPROTO_TCP))
    }
    /// `TCP_KEEPCNT`: how many go unanswered before the connection breaks off.
    public static var keepAliveCount: SocketOption { SocketOption(number: TCP_KEEPCNT, level: Int32(IPPROTO_TCP)) }
    /// `TCP_USER_TIMEOUT`: milliseconds that what was sent may go unacknowledged.
    public static var userTimeout: SocketOption { SocketOption(number: TCP_USER_TIMEOUT, level: Int32(IPPROTO_TCP)) }
    /// `IP_TTL`: how many routers a packet may pass.
    public static var timeToLive: SocketOption { SocketOption(number: IP_TTL, level: Int32(IPPROTO_IP)) }
}

extension SystemSocket {
    /// Sets options in order, until one is refused: what the system said to which.
    func set(_ settings: [SocketSetting]) -> (setting: SocketSetting, errno: Int32)? {
        for setting in settings {
            let code = set(setting.level, setting.name, setting.value)
            if code != 0 { return (setting, code) }
        }
        return nil
    }

    /// Sets one option, for a user who wants to know why not.
    func apply(_ setting: SocketSetting) throws(SocketError) {
        let code = set(setting.level, setting.name, setting.value)
        if code != 0 { throw SocketError.system("option \(setting.name)", code) }
    }

    /// What an option is set to, for the same user.
    func value<Value>(of option: SocketOption<Value>) throws(SocketError) -> Value {
        switch value(option.level, option.name) {
        case .success(let value): return option.fromSystem(value)
        case .failure(let error): throw SocketError.system("option \(option.name)", error.code)
        }
    }
}
