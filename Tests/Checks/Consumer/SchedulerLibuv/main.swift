import Reactive
import SchedulerLibuv

let loop = LibuvLoop.main
let listener = try Listener(on: .loopback(port: 7000), loop: loop)
listener.connections.subscribe(
    onValue: { connection in connection.send(from: connection.received) },
    onTermination: { print("listening ended: \($0)") }
)
try loop.run()
