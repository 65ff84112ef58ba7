// SPDX-License-Identifier: MIT
import HTTPTypes
import Measure
import ReactiveCore
import ReactiveHTTP
import ReactiveSignals
import ReactiveSockets
import SchedulerDispatch
import SchedulerLibevent
import SchedulerLibuv

/// An HTTP server that answers each request with the same body: `reactive-http-bench --loop libuv --bytes 1024`.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        Machine.raiseDescriptorLimit()
        let loop = mainLoop(arguments)
        let body = Bytes([UInt8](repeating: UInt8(ascii: "x"), count: arguments.number("bytes", default: 1024)))
        let server = try HTTPServer(
            on: try SocketAddress(host: "127.0.0.1", port: arguments.number("port", default: 0)),
            loops: LoopGroup(loop)
        ) { _ in
            var response = HTTPResponseMessage.ok(body, type: "text/plain")
            response.head.headerFields[.server] = "ours"
            return response
        }
        printLine("listening on :\(server.localAddress.port),")
        try withExtendedLifetime(server) { try loop.run() }
    }

    private static func mainLoop(_ arguments: Arguments) -> any LoopScheduler {
        switch arguments.text("loop") ?? "dispatch" {
        case "dispatch": DispatchLoop.main
        case "libuv": LibuvLoop.main
        case "libevent": LibeventLoop.main
        case let other: fail("--loop is dispatch, libuv or libevent, not \(other)")
        }
    }
}
