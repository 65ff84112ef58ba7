// SPDX-License-Identifier: MIT
import HTTPTypes
import LoopName
import Measure
import ReactiveCore
import ReactiveHTTP
import ReactiveSignals
import ReactiveSockets

/// An HTTP server that answers each request with the same body: `reactive-http-bench --loop libuv --bytes 1024`. With
/// `--websocket 1` it sends the messages of WebSockets back.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        Platform.raiseDescriptorLimit()
        let loop = LoopName(arguments).main
        let address = try SocketAddress(host: "127.0.0.1", port: arguments.number("port", default: 0))
        let server =
            arguments.number("websocket", default: 0) == 0
            ? try fixed(arguments.number("bytes", default: 1024), address, loop) : try echo(address, loop)
        printLine("listening on :\(server.localAddress.port),")
        try withExtendedLifetime(server) { try loop.run() }
    }

    private static func fixed(_ count: Int, _ address: SocketAddress, _ loop: any LoopScheduler) throws -> HTTPServer {
        let body = Bytes([UInt8](repeating: UInt8(ascii: "x"), count: count))
        return try HTTPServer(on: address, loops: LoopGroup(loop)) { _ in
            var response = HTTPResponseMessage.ok(body, type: "text/plain")
            response.head.headerFields[.server] = "ours"
            return response
        }
    }

    private static func echo(_ address: SocketAddress, _ loop: any LoopScheduler) throws -> HTTPServer {
        try HTTPServer(on: address, loops: LoopGroup(loop)) { request in
            .webSocket(request) { socket in socket.send(from: socket.messages) }
        }
    }
}
