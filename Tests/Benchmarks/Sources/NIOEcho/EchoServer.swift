// SPDX-License-Identifier: MIT
public import Measure
public import NIOCore
import NIOPosix

/// SwiftNIO's own echo server (`NIOEchoServer`), with `--threads` threads. It serves until the process ends.
///
/// - Parameter prepare: Adds the handlers that stand before the echo.
/// - Throws: The errors of SwiftNIO.
public func serveEcho(_ arguments: Arguments, prepare: @escaping @Sendable (any Channel) throws -> Void) throws {
    Machine.raiseDescriptorLimit()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: arguments.number("threads", default: 1))
    let channel = try ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 4096)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try prepare(channel)
                try channel.pipeline.syncOperations.addHandler(BackPressureHandler())
                try channel.pipeline.syncOperations.addHandler(EchoHandler())
            }
        }
        .childChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelOption(.maxMessagesPerRead, value: 16)
        .childChannelOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator())
        .bind(host: "127.0.0.1", port: arguments.number("port", default: 0)).wait()
    printLine("listening on :\(channel.localAddress?.port ?? 0),")
    try channel.closeFuture.wait()
}

private final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.write(data, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
