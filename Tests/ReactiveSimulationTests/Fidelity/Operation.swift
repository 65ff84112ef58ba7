// SPDX-License-Identifier: MIT
import Glibc

extension SocketProgram {
    /// A call. Sockets are named by their number in the program.
    enum Operation: CustomStringConvertible {
        case bind(Int, Place)
        case listen(Int, backlog: Int32)
        case connect(Int, to: Target)
        case accept(Int)
        /// Sends again and again, until a call fails.
        case send(Int, count: Int, times: Int)
        case sendTo(Int, Target, count: Int, times: Int)
        case receive(Int, limit: Int, peeks: Bool)
        case receiveFrom(Int, limit: Int, times: Int)
        case shutdown(Int)
        case close(Int)
        case resetOnClose(Int)
        case option(Int, Option, Int32)
        /// Removes the file of a Unix socket.
        case removeFile(Int)

        var description: String {
            switch self {
            case .bind(let socket, let place): "bind \(socket) \(place)"
            case .listen(let socket, let backlog): "listen \(socket) backlog \(backlog)"
            case .connect(let socket, let target): "connect \(socket) to \(target)"
            case .accept(let socket): "accept \(socket)"
            case .send(let socket, let count, let times): "send \(socket) \(count) bytes x\(times)"
            case .sendTo(let socket, let target, let count, let times):
                "send \(socket) to \(target) \(count) bytes x\(times)"
            case .receive(let socket, let limit, let peeks): "\(peeks ? "peek" : "receive") \(socket) up to \(limit)"
            case .receiveFrom(let socket, let limit, let times): "receive from \(socket) up to \(limit) x\(times)"
            case .shutdown(let socket): "shutdown \(socket)"
            case .close(let socket): "close \(socket)"
            case .resetOnClose(let socket): "linger \(socket)"
            case .removeFile(let socket): "remove the file of \(socket)"
            case .option(let socket, let option, let value): "option \(socket) \(option) = \(value)"
            }
        }
    }

    /// Where a socket is bound.
    enum Place: CustomStringConvertible {
        /// A port of its own, at the loopback address. For Unix sockets, a name of its own.
        case free
        /// A port of its own, at all addresses.
        case anywhere
        /// The address of another socket.
        case same(Target)

        var description: String {
            switch self {
            case .free: "to a free address"
            case .anywhere: "to all addresses"
            case .same(let target): "like \(target)"
            }
        }
    }

    /// An address, with the port of a socket.
    enum Target: CustomStringConvertible {
        case socket(Int)
        /// All addresses of the host.
        case wildcard(Int)
        /// Another address of the host. IPv6 has only one.
        case second(Int)
        /// The broadcast address of the loopback network.
        case broadcast(Int)

        /// The number of the socket.
        var number: Int {
            switch self {
            case .socket(let number), .wildcard(let number), .second(let number), .broadcast(let number): number
            }
        }

        var description: String {
            switch self {
            case .socket(let place): "\(place)"
            case .wildcard(let place): "\(place) at all addresses"
            case .second(let place): "\(place) at the second address"
            case .broadcast(let place): "\(place) at the broadcast address"
            }
        }
    }

    enum Option: CaseIterable {
        case reuseAddress, reusePort, noDelay, keepAlive, broadcast, timeToLive, userTimeout, ipv6Only
        case sendBuffer, receiveBuffer

        var numbers: (level: Int32, name: Int32) {
            switch self {
            case .reuseAddress: (SOL_SOCKET, SO_REUSEADDR)
            case .reusePort: (SOL_SOCKET, SO_REUSEPORT)
            case .noDelay: (Int32(IPPROTO_TCP), TCP_NODELAY)
            case .keepAlive: (SOL_SOCKET, SO_KEEPALIVE)
            case .broadcast: (SOL_SOCKET, SO_BROADCAST)
            case .timeToLive: (Int32(IPPROTO_IP), IP_TTL)
            case .userTimeout: (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT)
            case .ipv6Only: (Int32(IPPROTO_IPV6), IPV6_V6ONLY)
            case .sendBuffer: (SOL_SOCKET, SO_SNDBUF)
            case .receiveBuffer: (SOL_SOCKET, SO_RCVBUF)
            }
        }
    }
}
