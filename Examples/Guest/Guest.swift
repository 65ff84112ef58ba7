// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerEngine

/// An echo server on a host loop. The only argument is the number of seconds to run. Without it, the server runs until
/// it is killed.
@main
enum Guest {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let seconds = arguments.first.flatMap { Int($0) }
        guard arguments.isEmpty || arguments.count == 1 && seconds != nil else {
            print("usage: Guest [SECONDS]")
            exit(64)
        }
        let host = PollingLoop()
        let guest = try EpollLoop(attachedTo: PollHost(host), name: "guest")
        let listener = try Listener(on: .loopback(port: 0), loop: guest)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        print("listening on \(listener.localAddress), as a guest")
        if let seconds {
            guest.schedule(after: .seconds(seconds)) { guest.dispose() }
        }
        host.run(tick: {})
    }
}
