// SPDX-License-Identifier: MIT
// swift-format-ignore-file: OrderedImports
import Glibc

guard CommandLine.arguments.count == 1 else {
    print("usage: Client, without arguments")
    exit(64)
}

// The rest of this file is a program of the documentation.
import ReactiveSockets
import SchedulerDispatch

let loop = try DispatchLoop(name: "client")
try await withConnection(to: .loopback(port: 7000), loop: loop) { received, send in
    try await send("hello\n")
    send.finish()
    for try await bytes in received { print(bytes, terminator: "") }
}
