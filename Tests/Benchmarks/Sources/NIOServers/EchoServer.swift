// SPDX-License-Identifier: MIT
public import Measure
public import NIOCore

/// SwiftNIO's own echo server (`NIOEchoServer`), with `--threads` threads. It serves until the process ends.
///
/// - Parameter prepare: Adds the handlers that stand before the echo.
/// - Throws: The errors of SwiftNIO.
public func serveEcho(_ arguments: Arguments, prepare: @escaping @Sendable (any Channel) throws -> Void) throws {
    try serve(arguments, reads: 16) { channel in
        try prepare(channel)
        try channel.pipeline.syncOperations.addHandler(BackPressureHandler())
        try channel.pipeline.syncOperations.addHandler(EchoHandler())
    }
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
