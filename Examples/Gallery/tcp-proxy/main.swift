// SPDX-License-Identifier: MIT
// tcp-proxy PORT HOST TARGET-PORT: forwards each connection to another address, in both directions.
import Glibc
import Reactive
import SchedulerDispatch

let loop = DispatchLoop.main  // Or LibuvLoop.main, from SchedulerLibuv.

/// Prints an error and exits. The exit code is 64 if the arguments are wrong.
func quit(_ message: String, code: Int32 = 1) -> Never {
    let line = "tcp-proxy: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(code)
}

func report(_ line: String) {
    print(line)
    fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 3, let port = UInt16(arguments[0]), let targetPort = UInt16(arguments[2]), targetPort > 0
else { quit("usage: tcp-proxy PORT HOST TARGET-PORT, with ports up to 65535; PORT may be 0", code: 64) }
let targetHost = arguments[1]

let limits = ServerLimits(maxConnections: 1000, timeouts: ConnectionTimeouts(idle: .seconds(300)))
let settings = ConnectSettings(timeout: .seconds(5))

do {
    let server = try Server(on: .loopback(port: port), loops: LoopGroup(loop), limits: limits) { peer in
        Connection.connect(toHost: targetHost, port: Int(targetPort), loop: loop, settings: settings)
            // A peer that ends its stream before the target accepts may still wait for the reply.
            .flatMap { target in Connection.pipe(peer, target) }
            .handleEvents(onTermination: { end in if case .failed(let error) = end { report("\(error)") } })
    }
    // The first signal lets the connections finish, for at most ten seconds. A second one terminates the process.
    loop.processSignals(.terminate, .interrupt).take(1).subscribe(
        onValue: { signal in
            report("\(signal): waiting for \(server.connectionCount.value) connections")
            server.drain(within: .seconds(10)).subscribe(onTermination: { _ in loop.stop() })
        },
        onTermination: { end in if case .failed(let error) = end { quit("\(error)") } }
    )
    report("listening on \(server.localAddress)")
    try loop.run()
} catch {
    quit("\(error)")
}
