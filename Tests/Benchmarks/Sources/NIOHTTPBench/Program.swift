// SPDX-License-Identifier: MIT
import Measure
import NIOCore
import NIOHTTP1
import NIOServers
import NIOWebSocket

/// SwiftNIO's HTTP server, with the handlers of its own `NIOHTTP1Server`: `nio-http-bench --port 0 --bytes 1024`. With
/// `--websocket 1` it sends the messages of WebSockets back.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        if arguments.number("websocket", default: 0) != 0 { return try serve(arguments, reads: 1, prepare: webSockets) }
        let count = arguments.number("bytes", default: 1024)
        try serve(arguments, reads: 1) { channel in
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
            try channel.pipeline.syncOperations.addHandler(FixedResponse(count))
        }
    }

    @Sendable private static func webSockets(_ channel: any Channel) throws {
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Echo()) }
            }
        )
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in })
        )
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

/// Sends the frames of a WebSocket back, with one system call for all frames of a read.
private final class Echo: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        let answer = WebSocketFrame(fin: frame.fin, opcode: frame.opcode, data: frame.unmaskedData)
        context.write(wrapOutboundOut(answer), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
