// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerDispatch

/// Uses a little of each product, so that all of them are linked.
@main
struct LinkageCheck {
    static func main() throws {
        let loop = DispatchLoop.main
        let listener = try Listener(on: .loopback(port: 0), loop: loop)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        loop.schedule(after: .milliseconds(1)) { loop.stop() }
        try loop.run()
    }
}
