// SPDX-License-Identifier: MIT
import Measure
import NIOCore
import NIOHTTP1
import NIOPosix

/// SwiftNIO's HTTP server, with the handlers of its own `NIOHTTP1Server`: `nio-http-bench --port 0 --bytes 1024`.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        Machine.raiseDescriptorLimit()
        let count = arguments.number("bytes", default: 1024)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: arguments.number("threads", default: 1))
        let channel = try ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(FixedResponse(count))
                }
            }
            .childChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .bind(host: "127.0.0.1", port: arguments.number("port", default: 0)).wait()
        printLine("listening on :\(channel.localAddress?.port ?? 0),")
        try channel.closeFuture.wait()
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
