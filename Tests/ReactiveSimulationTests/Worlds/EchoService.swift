// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Synchronization

/// An echo server and clients that reconnect, as production code would write them.
enum EchoService {
    static func serve(on loop: SimulatedLoop, at address: SocketAddress) throws -> Server {
        try Server(on: address, loops: LoopGroup(loop)) { connection in connection.send(from: connection.received) }
    }

    /// Sends `count` lines, one every 100 ms, and waits for each echo. Connects again after a failure.
    static func request(_ count: Int, of host: String, on loop: SimulatedLoop, _ tally: Tally) {
        Connection.connect(toHost: host, port: 7000, loop: loop)
            .flatMap(.latest) { connection in
                _ = loop.schedule(every: .milliseconds(100)) { connection.send(line: "hello") }
                return connection.received.lines(limit: 64)
            }
            .handleEvents(onValue: { line in
                if line != "hello" { tally.wrong.increment() }
            })
            .repeat()
            .retry(backoff: Backoff(first: .milliseconds(100), maximum: .seconds(5)), on: loop)
            .take(count)
            .subscribe(onValue: { _ in tally.echoes.increment() }, onTermination: { _ in tally.clients.increment() })
    }
}

/// What the clients of a test have seen.
final class Tally: Sendable {
    let echoes = Number()
    let wrong = Number()
    let clients = Number()
}

/// A number that work on several loops may change.
final class Number: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    func increment() { number.withLock { $0 += 1 } }
}
