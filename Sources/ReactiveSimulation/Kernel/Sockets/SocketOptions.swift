// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

/// The `int` options of a socket. Accepted sockets inherit them.
///
/// The options that change nothing in the simulation are stored and returned. An unknown option is refused with
/// `ENOPROTOOPT`, like one of another protocol.
struct SocketOptions {
    private struct Key: Hashable {
        let level: Int32
        let name: Int32
    }

    /// How a value is checked and stored.
    private enum Rule {
        case flag
        case number(ClosedRange<Int32>, standard: Int32)
        case sendBuffer
        case receiveBuffer
        case ipv6Only
        case readOnly
    }

    private var values: [Key: Int32] = [:]
    private(set) var isIPv6Only = false
    private(set) var sendBuffer: Int32
    private(set) var receiveBuffer: Int32

    var reusesAddress: Bool { values[Key(level: SOL_SOCKET, name: SO_REUSEADDR)] == 1 }
    var reusesPort: Bool { values[Key(level: SOL_SOCKET, name: SO_REUSEPORT)] == 1 }
    var broadcasts: Bool { values[Key(level: SOL_SOCKET, name: SO_BROADCAST)] == 1 }
    /// `TCP_USER_TIMEOUT` in milliseconds, or 0.
    var userTimeout: Int32 { values[Key(level: tcp, name: TCP_USER_TIMEOUT)] ?? 0 }

    /// The largest value of `SO_SNDBUF` and `SO_RCVBUF` before it is doubled (`net.core.wmem_max`).
    private static let largestBuffer: Int32 = 4_194_304

    init(_ kind: SocketType, _ family: SocketAddress.Family) {
        let isTCP = kind == .stream && family != .unix
        sendBuffer = isTCP ? 262_144 : 212_992
        receiveBuffer = isTCP ? 131_072 : 212_992
    }

    /// Sets an option. Returns 0 or an error number.
    mutating func set(_ socket: SocketObject, level: Int32, name: Int32, value: Int32) -> Int32 {
        switch Self.rule(socket, level, name) {
        case .failure(let error): return error.number
        case .success(.readOnly): return ENOPROTOOPT
        case .success(.sendBuffer): sendBuffer = max(4_608, Self.doubled(value))
        case .success(.receiveBuffer): receiveBuffer = max(2_304, Self.doubled(value))
        case .success(.ipv6Only):
            if socket.isBound { return EINVAL }
            isIPv6Only = value != 0
        case .success(.number(let range, let standard)):
            // -1 restores the default of IP_TTL and IPV6_UNICAST_HOPS.
            if value == -1, standard == Self.hopLimit {
                values[Key(level: level, name: name)] = nil
            } else if range.contains(value) {
                values[Key(level: level, name: name)] = value
            } else {
                return EINVAL
            }
        case .success(.flag):
            if value != 0, socket.family == .unix, level == SOL_SOCKET, name == SO_REUSEPORT { return EOPNOTSUPP }
            values[Key(level: level, name: name)] = value != 0 ? 1 : 0
        }
        return 0
    }

    /// Sets `IPV6_V6ONLY` of a socket that is bound.
    mutating func becomeIPv6Only() { isIPv6Only = true }

    /// Reads an option.
    func value(_ socket: SocketObject, level: Int32, name: Int32) -> (code: Int32, value: Int32) {
        return switch Self.rule(socket, level, name) {
        // On IPv4, the error for a level of another protocol differs from that of `setsockopt`.
        case .failure where socket.family == .ipv4 && !Self.isUsed(level, by: socket): (EOPNOTSUPP, 0)
        case .failure(let error): (error.number, 0)
        case .success(.readOnly): (0, Self.property(socket, name))
        case .success(.sendBuffer): (0, sendBuffer)
        case .success(.receiveBuffer): (0, receiveBuffer)
        case .success(.ipv6Only): (0, isIPv6Only ? 1 : 0)
        case .success(.number(_, let standard)): (0, values[Key(level: level, name: name)] ?? standard)
        case .success(.flag): (0, values[Key(level: level, name: name)] ?? 0)
        }
    }

    private static let hopLimit: Int32 = 64

    private static func doubled(_ value: Int32) -> Int32 { min(max(value, 0), largestBuffer) * 2 }

    private static func property(_ socket: SocketObject, _ name: Int32) -> Int32 {
        switch name {
        case SO_TYPE: Int32((socket.kind == .stream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
        case SO_ERROR: socket.takeError()
        case SO_ACCEPTCONN: socket.isListening ? 1 : 0
        case SO_DOMAIN: socket.family == .unix ? AF_UNIX : socket.family == .ipv4 ? AF_INET : AF_INET6
        case SO_PROTOCOL where socket.family == .unix: 0
        case SO_PROTOCOL: Int32(socket.kind == .stream ? IPPROTO_TCP : IPPROTO_UDP)
        default: 0
        }
    }

    /// Whether the level belongs to a protocol that an IP socket uses, or to every socket.
    private static func isUsed(_ level: Int32, by socket: SocketObject) -> Bool {
        switch level {
        case SOL_SOCKET, ip: true
        case tcp: socket.kind == .stream
        case ipv6: socket.family == .ipv6
        default: false
        }
    }

    private static func rule(_ socket: SocketObject, _ level: Int32, _ name: Int32) -> Result<Rule, ErrorNumber> {
        if level != SOL_SOCKET, socket.family == .unix { return .failure(ErrorNumber(EOPNOTSUPP)) }
        guard isUsed(level, by: socket), let rule = rule(level, name) else { return .failure(ErrorNumber(ENOPROTOOPT)) }
        return .success(rule)
    }

    /// The rule of an option of a level. nil if it has no such option.
    private static func rule(_ level: Int32, _ name: Int32) -> Rule? {
        switch (level, name) {
        case (SOL_SOCKET, SO_REUSEADDR), (SOL_SOCKET, SO_REUSEPORT), (SOL_SOCKET, SO_KEEPALIVE): .flag
        case (SOL_SOCKET, SO_BROADCAST), (SOL_SOCKET, SO_OOBINLINE), (SOL_SOCKET, SO_DONTROUTE): .flag
        case (SOL_SOCKET, SO_PRIORITY): .number(0...6, standard: 0)
        case (SOL_SOCKET, SO_RCVLOWAT): .number(0...Int32.max, standard: 1)
        case (SOL_SOCKET, SO_SNDBUF): .sendBuffer
        case (SOL_SOCKET, SO_RCVBUF): .receiveBuffer
        case (SOL_SOCKET, SO_TYPE), (SOL_SOCKET, SO_ERROR), (SOL_SOCKET, SO_ACCEPTCONN): .readOnly
        case (SOL_SOCKET, SO_DOMAIN), (SOL_SOCKET, SO_PROTOCOL): .readOnly
        case (ip, IP_TTL): .number(1...255, standard: hopLimit)
        case (ip, IP_TOS): .number(0...255, standard: 0)
        case (ipv6, IPV6_V6ONLY): .ipv6Only
        case (ipv6, IPV6_UNICAST_HOPS): .number(0...255, standard: hopLimit)
        case (tcp, TCP_NODELAY), (tcp, TCP_CORK), (tcp, TCP_QUICKACK): .flag
        case (tcp, TCP_KEEPIDLE): .number(1...32_767, standard: 7_200)
        case (tcp, TCP_KEEPINTVL): .number(1...32_767, standard: 75)
        case (tcp, TCP_KEEPCNT): .number(1...127, standard: 9)
        case (tcp, TCP_SYNCNT): .number(1...127, standard: 6)
        case (tcp, TCP_USER_TIMEOUT), (tcp, TCP_DEFER_ACCEPT): .number(0...Int32.max, standard: 0)
        default: nil
        }
    }
}

private let ip = Int32(IPPROTO_IP)
private let ipv6 = Int32(IPPROTO_IPV6)
private let tcp = Int32(IPPROTO_TCP)
