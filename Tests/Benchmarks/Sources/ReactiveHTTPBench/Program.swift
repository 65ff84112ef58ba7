// SPDX-License-Identifier: MIT
import HTTPTypes
import LoopName
import Measure
import ReactiveCore
import ReactiveHTTP
import ReactiveSignals
import ReactiveSockets

/// An HTTP server that answers each request with the same body: `reactive-http-bench --loop libuv --bytes 1024`.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        Machine.raiseDescriptorLimit()
        let loop = LoopName(arguments).main
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
}
