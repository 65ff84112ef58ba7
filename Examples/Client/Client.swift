// SPDX-License-Identifier: MIT
import ReactiveSockets
import SchedulerDispatch

let loop = try DispatchLoop(name: "client")
try await withConnection(to: .loopback(port: 7000), loop: loop) { received, send in
    try await send("hello\n")
    send.finish()
    for try await bytes in received { print(bytes, terminator: "") }
}
