// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import Synchronization

@testable import ReactiveSimulation

/// A random program of socket calls. It runs on the real kernel and on the simulated one, which must have the same
/// results.
struct SocketProgram: CustomStringConvertible {
    /// A call. Sockets are named by their number in the program.
    enum Operation: CustomStringConvertible {
        case bind(Int)
        case listen(Int, backlog: Int32)
        case connect(Int, to: Int)
        case accept(Int)
        case send(Int, count: Int)
        case sendTo(Int, Int, count: Int)
        case receive(Int, limit: Int, peeks: Bool)
        case receiveFrom(Int, limit: Int)
        case shutdown(Int)
        case close(Int)
        case resetOnClose(Int)
        case option(Int, Option)

        var description: String {
            switch self {
            case .bind(let socket): "bind \(socket)"
            case .listen(let socket, let backlog): "listen \(socket) backlog \(backlog)"
            case .connect(let socket, let target): "connect \(socket) to \(target)"
            case .accept(let socket): "accept \(socket)"
            case .send(let socket, let count): "send \(socket) \(count) bytes"
            case .sendTo(let socket, let target, let count): "send \(socket) to \(target) \(count) bytes"
            case .receive(let socket, let limit, let peeks): "\(peeks ? "peek" : "receive") \(socket) up to \(limit)"
            case .receiveFrom(let socket, let limit): "receive from \(socket) up to \(limit)"
            case .shutdown(let socket): "shutdown \(socket)"
            case .close(let socket): "close \(socket)"
            case .resetOnClose(let socket): "linger \(socket)"
            case .option(let socket, let option): "option \(socket) \(option)"
            }
        }
    }

    enum Option: CaseIterable {
        case reuseAddress, reusePort, noDelay, keepAlive, broadcast, timeToLive, userTimeout, ipv6Only

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
            }
        }
    }

    let kind: SocketType
    let family: SocketAddress.Family
    /// The number of sockets that are open at the beginning. `accept` adds more.
    let sockets: Int
    var operations: [Operation]

    var description: String {
        "\(sockets) sockets \(kind) \(family)\n" + operations.map { "  \($0)" }.joined(separator: "\n")
    }

    /// Creates the program of a seed.
    init(_ kind: SocketType, _ family: SocketAddress.Family, seed: UInt64) {
        var random = SimulationRandom(seed: seed)
        self.kind = kind
        self.family = family
        sockets = 3
        // Most programs begin with a connection, because without one most calls fail.
        operations = []
        if random.below(4) > 0 {
            operations = [.bind(0)]
            if kind == .stream { operations.append(.listen(0, backlog: Int32(random.below(4)))) }
            operations.append(.connect(1, to: 0))
            if kind == .stream, random.below(4) > 0 { operations.append(.accept(0)) }
        }
        for _ in 0..<(4 + random.below(12)) { operations.append(Self.operation(kind, &random)) }
    }

    private static func operation(_ kind: SocketType, _ random: inout SimulationRandom) -> Operation {
        let socket = random.below(5)
        let limit = [1, 10, 100, 5_000][random.below(4)]
        switch random.below(16) {
        case 0: return .bind(socket)
        case 1: return .listen(socket, backlog: Int32(random.below(3)))
        // A socket that connects to itself is left out: TCP's simultaneous open is not simulated.
        case 2: return .connect(socket, to: (socket + 1 + random.below(4)) % 5)
        case 3, 4: return kind == .stream ? .accept(socket) : .sendTo(socket, random.below(5), count: limit)
        case 5, 6, 7: return .send(socket, count: limit)
        case 8, 9, 10:
            if kind == .stream { return .receive(socket, limit: limit, peeks: random.below(4) == 0) }
            return .receiveFrom(socket, limit: limit)
        case 11: return .shutdown(socket)
        case 12, 13: return .close(socket)
        case 14: return .resetOnClose(socket)
        default: return .option(socket, Option.allCases[random.below(Option.allCases.count)])
        }
    }

    // MARK: Running

    private static let names = Atomic<Int>(0)

    /// Runs the program. Returns a line for each call: its result, and the readiness of every socket afterwards.
    func run(on kernel: some ProgramKernel) -> [String] {
        let number = Self.names.wrappingAdd(1, ordering: .relaxed).newValue
        var machine = Machine(kernel: kernel, kind: kind, family: family, prefix: "fidelity-\(getpid())-\(number)")
        defer { machine.closeAll() }
        for _ in 0..<sockets { machine.open() }
        return operations.map { machine.perform($0) }
    }
}
