// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerEngine

/// An echo server on a host loop. The first argument is the number of seconds to run. Without it, the server runs until
/// it is killed.
@main
enum Guest {
    static func main() throws {
        let host = PollingLoop()
        let guest = try EpollLoop(attachedTo: PollHost(host), name: "guest")
        let listener = try Listener(on: .loopback(port: 0), loop: guest)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        print("listening on \(listener.localAddress), as a guest")
        if CommandLine.arguments.count > 1, let seconds = Int(CommandLine.arguments[1]) {
            guest.schedule(after: .seconds(seconds)) { guest.dispose() }
        }
        host.run(tick: {})
    }
}
