// SPDX-License-Identifier: MIT
import Measure
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import ReactiveTLS
import SchedulerDispatch
import SchedulerLibevent
import SchedulerLibuv

/// An echo server with TLS: `reactive-tls-bench --loop libuv --chain chain.pem --key key.pem`.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        Machine.raiseDescriptorLimit()
        let (chain, key) = (arguments.required("chain"), arguments.required("key"))
        let tls = try TLSContext(.server(certificateChain: .file(chain), privateKey: .file(key)))
        let loop = mainLoop(arguments)
        let server = try Server(
            on: try SocketAddress(host: "127.0.0.1", port: arguments.number("port", default: 0)),
            loops: LoopGroup(loop),
            transformer: tls.server
        ) { connection in
            connection.send(from: connection.received)
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
