// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore

extension SocketOption where Value == Bool {
    /// `TCP_NODELAY`: sends small writes without delay (tcp(7)). On by default (rule N20).
    public static var noDelay: SocketOption { SocketOption(flag: TCP_NODELAY, level: Int32(IPPROTO_TCP)) }
    /// `SO_KEEPALIVE`: probes an idle peer, and detects one that has disappeared (RFC 9293 section 3.8.4). Off by
    /// default.
    public static var keepAlive: SocketOption { SocketOption(flag: SO_KEEPALIVE, level: SOL_SOCKET) }
    /// `SO_REUSEADDR`: lets a restarted server bind its address immediately (socket(7)). On by default for listeners
    /// (rule N6).
    public static var reuseAddress: SocketOption { SocketOption(flag: SO_REUSEADDR, level: SOL_SOCKET) }
    /// `SO_REUSEPORT`: lets several sockets of one user bind the same address, if each sets this option (socket(7)).
    /// The kernel distributes peers among them.
    public static var reusePort: SocketOption { SocketOption(flag: SO_REUSEPORT, level: SOL_SOCKET) }
    /// `SO_BROADCAST`: permits datagrams to a broadcast address (socket(7)). Off by default.
    public static var broadcast: SocketOption { SocketOption(flag: SO_BROADCAST, level: SOL_SOCKET) }
    /// `IPV6_V6ONLY`: restricts an IPv6 wildcard address to IPv6 (ipv6(7)). The system's default is off, so the address
    /// accepts IPv4 too (rule N16). Set it before binding.
    public static var ipv6Only: SocketOption { SocketOption(flag: IPV6_V6ONLY, level: Int32(IPPROTO_IPV6)) }
}

extension SocketOption where Value == Int {
    /// `SO_SNDBUF`: the size of the kernel's send buffer in bytes. Linux doubles the value (socket(7)).
    public static var sendBufferSize: SocketOption { SocketOption(number: SO_SNDBUF, level: SOL_SOCKET) }
    /// `SO_RCVBUF`: the size of the kernel's receive buffer in bytes. Linux doubles the value (socket(7)).
    public static var receiveBufferSize: SocketOption { SocketOption(number: SO_RCVBUF, level: SOL_SOCKET) }
    /// `TCP_KEEPIDLE`: seconds without traffic before the first keep-alive probe (tcp(7)).
    public static var keepAliveIdle: SocketOption { SocketOption(number: TCP_KEEPIDLE, level: Int32(IPPROTO_TCP)) }
    /// `TCP_KEEPINTVL`: seconds between keep-alive probes (tcp(7)).
    public static var keepAliveInterval: SocketOption {
        SocketOption(number: TCP_KEEPINTVL, level: Int32(IPPROTO_TCP))
    }
    /// `TCP_KEEPCNT`: the number of unanswered probes after which the connection is dropped (tcp(7)).
    public static var keepAliveCount: SocketOption { SocketOption(number: TCP_KEEPCNT, level: Int32(IPPROTO_TCP)) }
    /// `TCP_USER_TIMEOUT`: milliseconds that sent data may remain unacknowledged before the connection is dropped (RFC
    /// 5482). 0 means the system's default.
    public static var userTimeout: SocketOption { SocketOption(number: TCP_USER_TIMEOUT, level: Int32(IPPROTO_TCP)) }
    /// `IP_TTL`: the maximum number of hops of an IPv4 packet, 1...255 (ip(7)).
    public static var timeToLive: SocketOption { SocketOption(number: IP_TTL, level: Int32(IPPROTO_IP)) }
}

extension LoopScheduler {
    /// Checks that the caller may use the options of a socket. On another thread, the loop might close the descriptor, and
    /// the system reuse its number, during the call.
    ///
    /// - Throws: `loop` on another thread.
    func checkAccess(toOptionsOf socket: String) throws(SocketError) {
        if isCurrent { return }
        throw SocketError(
            .loop,
            "cannot set or read an option of \(socket) here: do it in a job of its loop, \(name)"
        )
    }
}

extension SystemSocket {
    /// Sets one option.
    func apply(_ setting: SocketSetting) throws(SocketError) {
        let code = set(setting.level, setting.name, setting.value)
        if code != 0 { throw SocketError.system("cannot set option \(setting.name)", code) }
    }

    /// Reads one option.
    func value<Value>(of option: SocketOption<Value>) throws(SocketError) -> Value {
        let value = value(option.level, option.name)
        return option.fromSystem(
            try value.mapError { SocketError.system("cannot read option \(option.name)", $0.errno) }.get()
        )
    }
}
