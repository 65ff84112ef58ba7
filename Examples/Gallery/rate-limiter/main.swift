// SPDX-License-Identifier: MIT
// rate-limiter PORT HOST TARGET-PORT RATE: forwards lines to a server, at most RATE a second from each connection.
import Glibc
import Reactive
import SchedulerDispatch

let loop = DispatchLoop.main  // Or LibuvLoop.main, from SchedulerLibuv.

/// Prints an error and exits. The exit code is 64 if the arguments are wrong.
func quit(_ message: String, code: Int32 = 1) -> Never {
    let line = "rate-limiter: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(code)
}

func report(_ line: String) {
    print(line)
    fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 4, let port = UInt16(arguments[0]), let targetPort = UInt16(arguments[2]), targetPort > 0,
    let rate = Int(arguments[3]), rate > 0
else { quit("usage: rate-limiter PORT HOST TARGET-PORT RATE, with ports up to 65535 and a rate above 0", code: 64) }
let targetHost = arguments[1]

let settings = ConnectSettings(timeout: .seconds(5))
let limits = ServerLimits(
    maxConnections: 1000,
    maxConnectionsPerAddress: 4,  // So one address gets at most four times the rate.
    timeouts: ConnectionTimeouts(idle: .seconds(300))
)

do {
    let server = try Server(on: .loopback(port: port), loops: LoopGroup(loop), limits: limits) { client in
        Connection.connect(toHost: targetHost, port: Int(targetPort), loop: loop, settings: settings)
            .flatMap { target in
                // Beyond the rate, the server reads nothing. TCP slows the client down, and no line is lost.
                let requests = client.received.framed(by: .newline, limit: 4096)
                    .rateLimit(rate, per: .seconds(1), on: loop)
                    .map { line in Bytes(joining: [line, "\n"]) }
                return Signal.merge(target.send(from: requests), client.send(from: target.received))
            }
            .handleEvents(onTermination: { end in if case .failed(let error) = end { report("\(error)") } })
    }
    // The first signal lets the connections finish, for at most ten seconds. A second one terminates the process.
    loop.processSignals(.terminate, .interrupt).take(1).subscribe(
        onValue: { _ in server.drain(within: .seconds(10)).subscribe(onTermination: { _ in loop.stop() }) },
        onTermination: { end in if case .failed(let error) = end { quit("\(error)") } }
    )
    report("listening on \(server.localAddress)")
    try loop.run()
} catch {
    quit("\(error)")
}
