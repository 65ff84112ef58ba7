// SPDX-License-Identifier: MIT
// line-server [PORT [RATE]]: returns each line to its sender, at most RATE lines a second on each connection.
import Glibc
import Reactive
import SchedulerDispatch

let loop = DispatchLoop.main  // Or LibuvLoop.main, from SchedulerLibuv.

/// Prints an error and exits. The exit code is 64 if the arguments are wrong.
func quit(_ message: String, code: Int32 = 1) -> Never {
    let line = "line-server: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(code)
}

func report(_ line: String) {
    print(line)
    fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count <= 2, let port = UInt16(arguments.first ?? "7000"),
    let rate = Int(arguments.dropFirst().first ?? "1000"), rate > 0
else { quit("usage: line-server [PORT [RATE]], with a port from 0 to 65535 and a rate above 0", code: 64) }

/// The first SIGTERM or SIGINT. A second one terminates the process.
let stopping: Signal<ProcessSignal, Never> = loop.processSignals(.terminate, .interrupt).take(1)
    .flatMapError { error in quit("\(error)") }
    .share()

let limits = ServerLimits(
    maxConnections: 1000,
    maxConnectionsPerAddress: 100,
    timeouts: ConnectionTimeouts(idle: .seconds(60))
)

do {
    let server = try Server(on: .loopback(port: port), loops: LoopGroup(loop), limits: limits) { connection in
        let lines = connection.received.framed(by: .newline, limit: 4096).take(until: stopping)
        let replies = lines.rateLimit(rate, per: .seconds(1), on: loop).map { Bytes(joining: [$0, "\n"]) }
        return connection.send(from: replies)
    }
    server.events.subscribe(onValue: { event in
        if case .ended(_, let summary) = event, let failure = summary.failure { report("\(failure)") }
    })
    stopping.subscribe(onValue: { signal in
        report("\(signal): draining")
        server.drain(within: .seconds(10)).subscribe(onTermination: { _ in loop.stop() })
    })
    report("listening on \(server.localAddress)")
    try loop.run()
} catch {
    quit("\(error)")
}
