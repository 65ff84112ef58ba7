// SPDX-License-Identifier: MIT
import Dispatch
import LoopName
import Measure
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// The whole server, as README shows it. `--host dispatchMain` serves the loop with `dispatchMain()` instead of its
/// `run()`. `--threads 2` uses two loops. `--idle 60` aborts connections that are idle for this many seconds. `--spin
/// 1000` busy-polls for this many microseconds before the thread blocks.
func serveEcho(_ arguments: Arguments) throws {
    Platform.raiseDescriptorLimit()
    let name = LoopName(arguments)
    let threads = arguments.number("threads", default: 1)
    let loops =
        threads == 1
        ? LoopGroup(name.main) : try LoopGroup(count: threads) { number in try name.make("echo-\(number)") }
    let spin = arguments.number("spin", default: 0)
    for loop in loops.loops { name.setSpinLimit(.microseconds(spin), of: loop) }
    let idle = arguments.number("idle", default: 0)
    let timeouts = ConnectionTimeouts(idle: idle > 0 ? .seconds(idle) : nil)
    let server = try Server(
        on: try SocketAddress(host: "127.0.0.1", port: arguments.number("port", default: 0)),
        loops: loops,
        limits: ServerLimits(timeouts: timeouts)
    ) { connection in
        connection.send(from: connection.received)
    }
    printLine("listening on :\(server.localAddress.port),")
    switch arguments.text("host") ?? "run" {
    case "run": try withExtendedLifetime(server) { try name.main.run() }
    case "dispatchMain":
        guard name == .dispatch else { fail("a guest of dispatchMain() is the Dispatch loop") }
        // The main queue serves the loop from here on. The connections' loop keeps the server alive.
        _ = Unmanaged.passRetained(server)
        dispatchMain()
    case let other: fail("--host is run or dispatchMain, not \(other)")
    }
}
