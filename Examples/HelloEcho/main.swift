// SPDX-License-Identifier: MIT
// swift-format-ignore-file: OrderedImports
import Glibc

guard CommandLine.arguments.count == 1 else {
    print("usage: HelloEcho, without arguments")
    exit(64)
}

// The rest of this file is the first snippet of README.
import Reactive
import SchedulerDispatch

let loop = DispatchLoop.main
let listener = try Listener(on: .loopback(port: 7000), loop: loop)
listener.connections.subscribe(
    onValue: { connection in connection.send(from: connection.received) },
    onTermination: { print("listening ended: \($0)") }
)

print("listening on \(listener.localAddress)")
try loop.run()
