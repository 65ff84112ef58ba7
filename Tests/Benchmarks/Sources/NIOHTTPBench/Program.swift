// SPDX-License-Identifier: MIT
import Measure
import NIOCore
import NIOHTTP1
import NIOServers

/// SwiftNIO's HTTP server, with the handlers of its own `NIOHTTP1Server`: `nio-http-bench --port 0 --bytes 1024`.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        let count = arguments.number("bytes", default: 1024)
        try serve(arguments, reads: 1) { channel in
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
            try channel.pipeline.syncOperations.addHandler(FixedResponse(count))
        }
    }
}

/// Answers each request with the same body. It flushes when a read has been processed, so pipelined responses share a
/// system call.
private final class FixedResponse: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let body: ByteBuffer
    private let length: String

    init(_ count: Int) {
        body = ByteBuffer(repeating: UInt8(ascii: "x"), count: count)
        length = "\(count)"
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        var head = HTTPResponseHead(version: .http1_1, status: .ok)
        head.headers.add(name: "Content-Length", value: length)
        head.headers.add(name: "Content-Type", value: "text/plain")
        head.headers.add(name: "Server", value: "nio")
        head.headers.add(name: "Date", value: "Thu, 26 Nov 2026 00:00:00 GMT")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
