// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine

/// A line server with limits: at most five connections, an idle timeout, a pause after each line, and a drain.
enum LineScenario: Scenario {
    static let name = "LineServer"
    static let bugs: [ServiceBug] = [.limitOffByOne, .counterLeak, .pauseIsIdle, .drainDropsLastLine]

    private static let limit = 5
    private static let clients = 8
    private static let lines = 6
    private static let calm = Duration.seconds(50)

    private struct Tally {
        var answers = 0
        var goodbyes = 0
        var atDrain = 0
        var mostOpen = 0
        var drained = false
    }

    static func run(in world: World, with bug: ServiceBug?) throws {
        let tally = SharedValue(Tally())
        let server = world.host("server")
        let address = server.address(port: 7002)
        server.start { loop in try serve(on: address, loop, tally, bug) }
        for number in 0..<clients {
            world.host("client \(number)").start { loop in ask(in: world, on: loop, tally) }
        }
        world.network.faults = [
            .latency(.milliseconds(1) ... .milliseconds(30)).until(calm),
            .reset(probability: 0.01).until(calm).on("client 0"),
            .partition(every: .seconds(10)).until(calm).on("client 1"),
            .crash(every: .seconds(10), lasting: .seconds(1) ... .seconds(5)).until(calm).on("client 2"),
            .pause(every: .seconds(10)).until(calm).on("client 3"),
        ]
        try world.run(for: calm + .seconds(150))
        let result = tally.value
        try require(result.mostOpen <= limit, "\(result.mostOpen) connections were open at the same time")
        try require(result.answers >= clients * lines, "\(result.answers) of \(clients * lines) lines were answered")
        try require(result.drained, "the server has not drained")
        try require(result.goodbyes == result.atDrain, "\(result.goodbyes) of \(result.atDrain) clients received bye")
        try require(server.openDescriptors.isEmpty, "the server has left open: \(server.openDescriptors)")
    }

    private static func serve(
        on address: SocketAddress,
        _ loop: SimulatedLoop,
        _ tally: SharedValue<Tally>,
        _ bug: ServiceBug?
    ) throws -> Server {
        let open = SharedValue(0)
        // A server of its own counting, as people write it before they find `maxConnections`.
        let isCounting = bug == .counterLeak
        let most = bug == .limitOffByOne ? limit + 1 : limit
        let idle: Duration? = bug == .pauseIsIdle ? nil : .seconds(4)
        let limits = ServerLimits(
            maxConnections: isCounting ? nil : most,
            timeouts: ConnectionTimeouts(idle: idle)
        )
        let server = try Server(on: address, loops: LoopGroup(loop), limits: limits) { connection in
            let count = open.update { open in
                open += 1
                return open
            }
            if isCounting, count > most {
                open.update { $0 -= 1 }
                connection.abort()
                return connection.ended
            }
            tally.update { $0.mostOpen = max($0.mostOpen, count) }
            connection.ended.subscribe(onTermination: { termination in
                if case .failed = termination, bug == .counterLeak { return }
                open.update { $0 -= 1 }
            })
            let received = SharedValue(0)
            if bug == .pauseIsIdle { endIfSilent(connection, received, on: loop) }
            // Each line takes the server three seconds, in which it reads nothing.
            let counted = connection.received.handleEvents(onValue: { chunk in received.update { $0 += chunk.count } })
            let replies = counted.lines(limit: 64).flatMap(.concat) { line in
                Signal<String, SocketError>.just("answer \(line)").delay(.seconds(3), on: loop)
            }
            if bug == .drainDropsLastLine {
                connection.draining.subscribe(onValue: { connection.abort() })
                return connection.send(lines: replies)
            }
            let goodbye = Signal<String, SocketError>.just("bye")
            return connection.send(lines: replies.take(until: connection.draining).concat(goodbye))
        }
        loop.schedule(after: calm + .seconds(100)) {
            tally.update { $0.atDrain = server.connectionCount.value }
            server.drain(within: .seconds(10)).subscribe(onTermination: { _ in tally.update { $0.drained = true } })
        }
        return server
    }

    /// An idle timeout that counts the time since the last received byte, whoever is the cause.
    private static func endIfSilent(_ connection: Connection, _ received: SharedValue<Int>, on loop: SimulatedLoop) {
        let last = SharedValue(0)
        @Sendable func look() {
            let count = received.value
            let isSilent = last.update { last in
                defer { last = count }
                return last == count
            }
            if isSilent { connection.abort() } else { loop.schedule(after: .seconds(2)) { look() } }
        }
        loop.schedule(after: .seconds(2)) { look() }
    }

    /// Asks all lines, again after a failure. Then one client in two stays connected until the server says bye.
    private static func ask(in world: World, on loop: SimulatedLoop, _ tally: SharedValue<Tally>) {
        @Sendable func attempt() {
            Connection.connect(
                toHost: "server",
                port: 7002,
                loop: loop,
                settings: ConnectSettings(timeout: .seconds(30))
            )
            .flatMap(.latest) { connection in
                for number in 0..<lines { connection.send(line: "\(number)") }
                let answers = connection.lines.take(lines)
                return answers.collect().handleEvents(onValue: { _ in connection.close() })
            }
            .timeout(after: .seconds(60), raising: SocketError(.timedOut, "no answer"), on: loop)
            .subscribe(
                onValue: { lines in
                    tally.update { $0.answers += lines.count }
                    loop.schedule(after: .seconds(1)) { wait() }
                },
                onTermination: { termination in
                    if case .failed = termination { loop.schedule(after: .seconds(1)) { attempt() } }
                }
            )
        }
        @Sendable func wait() {
            // Late, so that the connection is not idle for longer than the limit before the drain.
            let delay = calm + .seconds(98) - world.now
            loop.schedule(after: delay) {
                Connection.connect(toHost: "server", port: 7002, loop: loop)
                    .flatMap(.latest) { connection in connection.lines }
                    .subscribe(
                        onValue: { line in if line == "bye" { tally.update { $0.goodbyes += 1 } } },
                        onTermination: { _ in }
                    )
            }
        }
        attempt()
    }
}
