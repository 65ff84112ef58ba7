// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import ReactiveSupport
import SchedulerEngine
import Testing

/// Threads that send on connections, close and abort them, while a server with two loops returns every line.
@Suite(.enabled(if: YieldPoint.isInLocks, "needs the trait Simulation"))
struct ConnectionInterleavings {
    @Test("Connections that threads use and close lose no line, no termination and no descriptor")
    func connections() throws {
        for interleaving in Interleaving.explored {
            try Simulation.explore(seeds: Interleaving.seeds) { world in
                world.interleaving = interleaving
                let program = ConnectionProgram(in: world)
                program.start()
                try world.run(for: .seconds(120))
                program.check()
                try world.run(for: .zero)
            }
        }
    }
}

private final class ConnectionProgram: Sendable {
    /// What threads do with a connection at the end.
    private enum End: Int, CaseIterable {
        case finish, close, abort, closeWithin, disposeReceiving
    }

    private static let connections = 3
    private static let lines = 6

    private struct Books {
        var received: [[String]] = Array(repeating: [], count: connections)
        var sendEnds: [String: Int] = [:]
        var ends: [Int] = Array(repeating: 0, count: connections)
        var isReset: [Bool] = Array(repeating: false, count: connections)
        var open = 0
    }

    private let world: World
    private let server: SimulatedHost
    private let client: SimulatedHost
    private let books = Lock(Books())
    private let ends: [End]

    init(in world: World) {
        self.world = world
        server = world.host("server")
        client = world.host("client")
        var random = world.random
        ends = (0..<Self.connections).map { _ in End.allCases.randomElement(using: &random) ?? .close }
    }

    func start() {
        let address = server.address(port: 80)
        server.start { [server] loop in
            let second = try server.makeLoop("second")
            let group = LoopGroup(count: 2) { number in number == 0 ? loop : second }
            return try Server(on: address, loops: group) { connection in
                connection.send(lines: connection.lines)
            }
        }
        client.start { [self] loop in
            for number in 0..<Self.connections {
                // The server may start later.
                Connection.connect(to: address, loop: loop)
                    .retry(after: .milliseconds(100), on: loop)
                    .subscribe(
                        onValue: { [self] connection in use(connection, number, on: loop) },
                        onTermination: { _ in }
                    )
            }
        }
    }

    private func use(_ connection: Connection, _ number: Int, on loop: SimulatedLoop) {
        books.withLock { $0.open += 1 }
        let subscription = SignalSubscription()
        connection.lines.subscribe(
            in: subscription,
            onValue: { [self] line in books.withLock { $0.received[number].append(line) } },
            onTermination: { [self] end in
                if end != .completed { books.withLock { $0.isReset[number] = true } }
            }
        )
        connection.ended.subscribe(onTermination: { [self] _ in books.withLock { $0.ends[number] += 1 } })
        let left = Lock(2)
        for thread in 0..<2 {
            client.startThread("thread \(number).\(thread)") { [self] in
                for line in 0..<Self.lines {
                    let text = "\(number).\(thread).\(line)"
                    connection.send(line: text).subscribe(
                        onTermination: { [self] _ in books.withLock { $0.sendEnds[text, default: 0] += 1 } }
                    )
                }
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast || ends[number] != .finish { end(connection, subscription, ends[number]) }
            }
        }
    }

    private func end(_ connection: Connection, _ subscription: SignalSubscription, _ end: End) {
        switch end {
        case .finish: connection.finishSending()
        case .close: connection.close()
        case .abort: connection.abort()
        case .closeWithin: connection.close(within: .seconds(1))
        case .disposeReceiving:
            subscription.dispose()
            connection.close()
        }
    }

    func check() {
        let books = books.withLock { $0 }
        world.check(books.open == Self.connections, "\(books.open) connections were opened")
        for number in 0..<Self.connections {
            let all = books.received[number]
            for thread in 0..<2 {
                let lines = all.filter { $0.hasPrefix("\(number).\(thread).") }
                let expected = (0..<Self.lines).map { "\(number).\(thread).\($0)" }
                world.check(Array(expected.prefix(lines.count)) == lines, "a thread's lines come back as \(lines)")
                if ends[number] == .finish {
                    world.check(lines == expected, "after finishSending, \(lines) come back")
                }
                for line in expected {
                    let count = books.sendEnds[line] ?? 0
                    world.check(count == 1, "the send of \(line) has ended \(count) times")
                }
            }
            world.check(books.ends[number] == 1, "connection \(number) has ended \(books.ends[number]) times")
            world.check(
                all.allSatisfy { $0.hasPrefix("\(number).") },
                "connection \(number) receives lines of another: \(all)"
            )
        }
        world.check(client.openDescriptors.isEmpty, "open descriptors: \(client.openDescriptors)")
    }
}
