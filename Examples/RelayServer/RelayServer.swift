// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import Loops
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// An echo server whose bytes hop to a second loop and back. `make greedy` measures its memory.
@main
struct RelayServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay-server",
        abstract: "Returns each peer's bytes, after a hop to a second event loop and back."
    )

    @Option(help: "The event loop of the sockets: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The second event loop, which owns a thread: dispatch, libuv or libevent.")
    var other = LoopChoice.dispatch

    func run() throws {
        let loop = try self.loop.main()
        let other = try self.other.make(name: "other")
        let listener = try Listener(on: .loopback(port: 0), loop: loop)
        listener.connections.subscribe(
            onValue: { connection in
                let relayed = connection.received.map { $0 }.observe(on: other, limit: 8).observe(on: loop, limit: 8)
                connection.send(from: relayed)
            },
            onTermination: { print("listening ended: \($0)") }
        )
        _ = try loop.onSignal(.terminate) { loop.stop() }
        print("listening on \(listener.localAddress), \(self.loop) loop by way of \(self.other)")
        fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
        try loop.run()
        other.dispose()
    }
}
