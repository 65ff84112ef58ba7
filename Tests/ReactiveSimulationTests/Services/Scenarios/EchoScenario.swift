// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Synchronization

/// An echo server, and clients that ask one line after another and connect again after a failure.
enum EchoScenario: Scenario {
    static let name = "EchoServer"
    static let bugs: [ServiceBug] = [
        .chunkIsFrame, .answersOldConnection, .forgottenTimeout, .missingBackoff, .endIsClose,
    ]

    private static let clients = 3
    private static let lines = 20
    /// The faults end then. Every line must be answered soon afterwards.
    private static let calm = Duration.seconds(60)

    private struct Tally {
        var answers = 0
        var wrong: [String] = []
        var mostAttempts = 0
        var bulkIsDone = false
    }

    static func run(in world: World, with bug: ServiceBug?) throws {
        let tally = SharedValue(Tally())
        let server = world.host("server")
        let address = server.address(port: 7)
        server.start { loop in try serve(on: address, loop, bug) }
        for number in 0..<clients {
            world.host("client \(number)").start { loop in ask(number, on: loop, tally, bug) }
        }
        let bulk = world.host("bulk client")
        bulk.start { loop in sendAtOnce(on: loop, tally) }
        world.network.faults = [
            .latency(.milliseconds(1) ... .milliseconds(80)).until(calm),
            .reset(probability: 0.004).until(calm).on("client 0"),
            .partition(every: .seconds(20)).until(calm).on("client 1"),
            .blackHoledConnects(probability: 0.1).until(calm).on("client 2"),
            .refusedConnects(probability: 0.1).until(calm).on("client 2"),
            .crash(every: .seconds(25), lasting: .seconds(1) ... .seconds(3)).on("server").until(calm),
        ]
        try world.run(for: .seconds(10))
        // A new version is deployed. Meanwhile connects are refused.
        if server.isRunning { server.exit() }
        try world.run(for: .seconds(3))
        if !server.isRunning { server.restart() }
        try world.run(for: calm + .seconds(47))
        let result = tally.value
        try require(result.wrong.isEmpty, "wrong echoes: \(result.wrong.prefix(3))")
        try require(result.answers == clients * lines, "\(result.answers) of \(clients * lines) lines were answered")
        try require(result.bulkIsDone, "the client that ends its stream has never received its echoes")
        try require(result.mostAttempts <= 6, "\(result.mostAttempts) attempts to connect within one second")
    }

    private static func serve(on address: SocketAddress, _ loop: SimulatedLoop, _ bug: ServiceBug?) throws -> Server {
        let first = SharedValue<[String: Connection]>([:])
        return try Server(on: address, loops: LoopGroup(loop)) { connection in
            switch bug {
            case .chunkIsFrame:
                return connection.send(
                    from: connection.received.map { chunk in
                        let lines = "\(chunk)".split(separator: "\n")
                        return Bytes(lines.map { "echo \($0)\n" }.joined())
                    }
                )
            case .endIsClose:
                connection.endOfStream.subscribe(onTermination: { _ in connection.abort() })
            default: break
            }
            // An answer takes the server a moment.
            let lines = connection.lines.delay(.milliseconds(1), on: loop)
            let echoes = lines.map { line in
                guard bug == .answersOldConnection else { return "echo \(line)" }
                // The name of the client is the first word.
                let name = String(line.prefix { $0 != " " })
                let known = first.update { all in
                    if all[name] == nil { all[name] = connection }
                    return all[name]
                }
                if known !== connection { known?.send(line: "echo \(line)") }
                return known === connection ? "echo \(line)" : ""
            }
            return connection.send(lines: echoes.filter { !$0.isEmpty })
        }
    }

    private static func ask(_ number: Int, on loop: SimulatedLoop, _ tally: SharedValue<Tally>, _ bug: ServiceBug?) {
        let timeout: Duration? = bug == .forgottenTimeout ? nil : .seconds(2)
        let client = LineClient(to: "server", 7, on: loop, timeout: timeout)
        @Sendable func next(_ count: Int) {
            if count == lines {
                tally.update { $0.mostAttempts = max($0.mostAttempts, client.mostAttemptsPerSecond) }
                return client.close()
            }
            let line = "c\(number) \(count)"
            client.ask(line) { result in
                switch result {
                case .success(let text):
                    tally.update { tally in
                        if text == "echo \(line)" { tally.answers += 1 } else { tally.wrong.append("\(line): \(text)") }
                    }
                    loop.schedule(after: .seconds(1)) { next(count + 1) }
                case .failure:
                    let delay: Duration = bug == .missingBackoff ? .zero : .milliseconds(200)
                    loop.schedule(after: delay) { next(count) }
                }
            }
        }
        next(0)
    }

    /// Sends many lines, ends its stream, and expects all echoes. Tries until that succeeds once.
    private static func sendAtOnce(on loop: SimulatedLoop, _ tally: SharedValue<Tally>) {
        let count = 50
        @Sendable func attempt() {
            Connection.connect(toHost: "server", port: 7, loop: loop)
                .flatMap(.latest) { connection in
                    for number in 0..<count { connection.send(line: "bulk \(number)") }
                    connection.finishSending()
                    return connection.lines.collect()
                }
                .timeout(after: .seconds(10), raising: SocketError(.timedOut, "no echo"), on: loop)
                .subscribe(
                    onValue: { lines in
                        let isRight = lines == (0..<count).map { "echo bulk \($0)" }
                        tally.update { tally in
                            tally.bulkIsDone = true
                            if !isRight { tally.wrong.append("\(lines.count) of \(count) lines, then the end") }
                        }
                    },
                    onTermination: { termination in
                        if case .failed = termination { loop.schedule(after: .seconds(1)) { attempt() } }
                    }
                )
        }
        attempt()
    }
}
