// SPDX-License-Identifier: MIT
import PollLoop
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// An echo server on the loop that this package defines.
@main
struct PollEcho {
    static func main() throws {
        let loop = PollLoop.main
        let listener = try Listener(on: .loopback(port: 7001), loop: loop)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        for signal in [ProcessSignal.interrupt, .terminate] {
            _ = try loop.onSignal(signal) { loop.stop() }
        }
        print("listening on \(listener.localAddress), on poll(2)")
        try loop.run()
    }
}
