// SPDX-License-Identifier: MIT
public import Measure
public import NIOCore
import NIOPosix

/// Serves on SwiftNIO with `--threads` threads until the process ends.
///
/// - Parameters:
///   - reads: The maximum number of reads for each readiness event.
///   - prepare: Adds the handlers of a connection.
/// - Throws: The errors of SwiftNIO.
public func serve(
    _ arguments: Arguments,
    reads: UInt,
    prepare: @escaping @Sendable (any Channel) throws -> Void
) throws {
    Platform.raiseDescriptorLimit()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: arguments.number("threads", default: 1))
    let channel = try ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 4096)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try prepare(channel) } }
        .childChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelOption(.maxMessagesPerRead, value: reads)
        .childChannelOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator())
        .bind(host: "127.0.0.1", port: arguments.number("port", default: 0)).wait()
    printLine("listening on :\(channel.localAddress?.port ?? 0),")
    try channel.closeFuture.wait()
}
