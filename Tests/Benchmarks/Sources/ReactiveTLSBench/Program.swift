// SPDX-License-Identifier: MIT
import LoopName
import Measure
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import ReactiveTLS

/// An echo server with TLS: `reactive-tls-bench --loop libuv --chain chain.pem --key key.pem`.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        Platform.raiseDescriptorLimit()
        let (chain, key) = (arguments.required("chain"), arguments.required("key"))
        let tls = try TLSContext(.server(certificateChain: .file(chain), privateKey: .file(key)))
        let loop = LoopName(arguments).main
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
}
