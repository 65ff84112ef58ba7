// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import Synchronization

@testable import ReactiveSimulation

/// A random program of socket calls. It runs on the real kernel and on the simulated one, which must have the same
/// results.
struct SocketProgram: CustomStringConvertible {
    let kind: SocketType
    /// The families of the sockets, in turn.
    let families: [SocketAddress.Family]
    /// The number of sockets that are open at the beginning. `accept` adds more.
    let sockets: Int
    var operations: [Operation]

    var description: String {
        "\(sockets) sockets \(kind) \(families.map { "\($0)" }.joined(separator: " "))\n"
            + operations.map { "  \($0)" }.joined(separator: "\n")
    }

    /// Creates the program of a seed.
    init(_ kind: SocketType, _ families: [SocketAddress.Family], seed: UInt64) {
        // Every second program fills buffers, shares ports and sets more options.
        let isRich = seed % 2 == 0
        self.init(kind, families, sockets: isRich ? 4 : 3)
        var random = SimulationRandom(seed: seed)
        if isRich, !isUnix, random.below(2) == 0 { sharePorts(&random) }
        // Most programs begin with a connection, because without one most calls fail.
        if random.below(4) > 0 {
            operations.append(.bind(0, isRich && random.below(3) == 0 ? .anywhere : .free))
            if kind == .stream { operations.append(.listen(0, backlog: Int32(random.below(4)))) }
            operations.append(.connect(1, to: .socket(0)))
            if kind == .stream, random.below(4) > 0 { operations.append(.accept(0)) }
        }
        for _ in 0..<(4 + random.below(isRich ? 16 : 12)) { operations.append(operation(isRich, &random)) }
    }

    /// Creates an empty program.
    private init(_ kind: SocketType, _ families: [SocketAddress.Family], sockets: Int) {
        self.kind = kind
        self.families = families
        self.sockets = sockets
        operations = []
    }

    var isUnix: Bool { families == [.unix] }
    /// Whether the kernels count the memory of each message. TCP counts bytes in the simulation.
    private var countsMemory: Bool { kind == .datagram || isUnix }

    /// Lets sockets share ports, and binds some of them to one port.
    private mutating func sharePorts(_ random: inout SimulationRandom) {
        let option: Option = random.below(3) == 0 ? .reusePort : .reuseAddress
        for socket in 0..<sockets where random.below(4) > 0 { operations.append(.option(socket, option, 1)) }
        if random.below(2) == 0 { return }
        operations.append(.bind(0, random.below(2) == 0 ? .anywhere : .free))
        for socket in 2..<sockets where random.below(3) > 0 {
            operations.append(.bind(socket, .same(target(0, &random))))
        }
    }

    private func operation(_ isRich: Bool, _ random: inout SimulationRandom) -> Operation {
        let socket = random.below(5)
        let limit = [1, 10, 100, 5_000][random.below(4)]
        var (count, times) = (limit, 1)
        if isRich, countsMemory {
            if random.below(2) == 0 {
                count = [0, 300, 1_000, 2_000, 20_000, 60_000, 65_508, 100_000, 200_000, 250_000][random.below(10)]
            }
            if random.below(2) == 0 { times = 1 + random.below(random.below(2) == 0 ? 20 : 400) }
        }
        switch random.below(16) {
        case 0: return .bind(socket, isRich ? place(&random) : .free)
        case 1: return .listen(socket, backlog: Int32(random.below(3)))
        case 2:
            // A socket that connects to itself is left out for TCP: the simultaneous open is not simulated.
            let other = (socket + 1 + random.below(4)) % 5
            if kind == .stream || !isRich { return .connect(socket, to: .socket(other)) }
            return .connect(socket, to: target(random.below(4) == 0 ? socket : other, &random))
        case 3, 4:
            if kind == .stream { return .accept(socket) }
            let target = isRich ? target(random.below(5), &random) : .socket(random.below(5))
            return .sendTo(socket, target, count: count, times: times)
        case 5, 6, 7: return .send(socket, count: count, times: times)
        case 8, 9, 10:
            if kind == .stream { return .receive(socket, limit: count, peeks: random.below(4) == 0) }
            return .receiveFrom(socket, limit: limit, times: times)
        case 11: return .shutdown(socket)
        case 12, 13: return .close(socket)
        case 14: return isUnix && isRich ? .removeFile(socket) : .resetOnClose(socket)
        default: return option(socket, isRich, &random)
        }
    }

    private func place(_ random: inout SimulationRandom) -> Place {
        switch random.below(4) {
        case 0: .free
        case 1: .anywhere
        default: .same(target(random.below(5), &random))
        }
    }

    private func target(_ socket: Int, _ random: inout SimulationRandom) -> Target {
        switch random.below(8) {
        case 0: .wildcard(socket)
        case 1: .second(socket)
        case 2 where kind == .datagram: .broadcast(socket)
        default: .socket(socket)
        }
    }

    private func option(_ socket: Int, _ isRich: Bool, _ random: inout SimulationRandom) -> Operation {
        let option = Option.allCases[random.below(Option.allCases.count)]
        switch option {
        case .sendBuffer, .receiveBuffer:
            if !isRich || !countsMemory { return .option(socket, .keepAlive, 1) }
            return .option(socket, option, [0, 2_000, 10_000, 100_000][random.below(4)])
        case .reuseAddress, .reusePort,
            .broadcast where isRich:
            return .option(socket, option, Int32(random.below(2)))
        default: return .option(socket, option, 1)
        }
    }

    // MARK: Running

    private static let names = Atomic<Int>(0)

    /// Runs the program. Returns a line for each call: its result, and the readiness of every socket afterwards.
    func run(on kernel: some ProgramKernel) -> [String] {
        let number = Self.names.wrappingAdd(1, ordering: .relaxed).newValue
        var machine = Machine(kernel: kernel, kind: kind, isUnix: isUnix, prefix: "fidelity-\(getpid())-\(number)")
        defer { machine.closeAll() }
        for socket in 0..<sockets { machine.open(families[socket % families.count]) }
        return operations.map { machine.perform($0) }
    }
}
