// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerDispatch

// Sends each line back, within limits. The first SIGTERM drains the server, and a second one terminates it.
let loop = DispatchLoop.main

// The port is the only argument, or 7005. With 0 the system picks a port.
func portNumber(in arguments: ArraySlice<String>) -> UInt16 {
    guard arguments.count <= 1, let port = UInt16(arguments.first ?? "7005") else {
        print("usage: LimitedServer [PORT], with a port from 0 to 65535")
        exit(64)
    }
    return port
}
let port = portNumber(in: CommandLine.arguments.dropFirst())

let limits = ServerLimits(
    maxConnections: 1000,
    maxConnectionsPerAddress: 100,
    timeouts: ConnectionTimeouts(idle: .seconds(60), lifetime: .seconds(3600))
)

let server = try Server(on: .loopback(port: port), loops: LoopGroup(loop), limits: limits) { connection in
    let lines = connection.received.framed(by: .newline, limit: 4096)
    return connection.send(from: lines.map { line in Bytes(joining: [line, "\n"]) })
}

server.events.subscribe(onValue: { event in
    switch event {
    case .ended(let connection, let summary):
        let result = summary.failure.map { error in "failed: \(error)" } ?? "ended"
        print("\(name(of: connection)) \(result); received \(summary.received) bytes, sent \(summary.sent)")
    case .refused(let connection): print("\(name(of: connection)) was reset: too many connections from its address")
    case .failed(let error): print("listening failed: \(error)")
    default: break
    }
})

func name(of connection: Connection) -> String {
    connection.remoteAddress.map { address in address.description } ?? "a peer"
}

loop.processSignals(.interrupt, .terminate).take(1).subscribe(
    onValue: { signal in
        print("\(signal): waiting at most 10 seconds for \(server.connectionCount.value) connections")
        server.drain(within: .seconds(10)).subscribe(onTermination: { _ in loop.stop() })
    },
    onTermination: { if case .failed(let error) = $0 { print(error) } }
)

print("listening on \(server.localAddress)")
fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
try loop.run()
print("served \(server.totals.accepted) connections, \(server.totals.failed) failed")
