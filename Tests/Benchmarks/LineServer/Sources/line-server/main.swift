// SPDX-License-Identifier: MIT
// line-server [PORT [RATE]]: returns each line to its sender, at most RATE lines a second on each connection.
import Dispatch
import Glibc
import NIOCore
import NIOExtras
import NIOPosix

/// Prints an error and ends the process: with 64 if the arguments are wrong.
func quit(_ message: String, code: Int32 = 1) -> Never {
    let line = "line-server: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(code)
}

func report(_ line: String) {
    print(line)
    fflush(nil)  // A program that reads this from a pipe waits for it.
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count <= 2, let port = UInt16(arguments.first ?? "7000"),
    let rate = Int(arguments.dropFirst().first ?? "1000"), rate > 0
else { quit("usage: line-server [PORT [RATE]], with a port from 0 to 65535 and a rate above 0", code: 64) }

/// Returns lines. While lines wait for the rate, the connection is not read.
final class LineHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let rate: Int
    private var waiting = CircularBuffer<ByteBuffer>()
    /// When the last `rate` lines were returned.
    private var returned = CircularBuffer<NIODeadline>()
    private var isArmed = false
    private var holdsRead = false
    /// Whether to close the connection when no line waits.
    private var isFinishing = false

    init(rate: Int) { self.rate = rate }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFinishing else { return }
        waiting.append(unwrapInboundIn(data))
        if !isArmed { returnLines(context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    func read(context: ChannelHandlerContext) {
        if waiting.isEmpty { context.read() } else { holdsRead = true }
    }

    private func returnLines(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        while var line = waiting.first {
            if returned.count == rate {
                let due = returned[returned.startIndex] + .seconds(1)
                if due > now { return arm(due, context) }
                returned.removeFirst()
            }
            waiting.removeFirst()
            returned.append(now)
            line.writeStaticString("\n")
            context.write(wrapOutboundOut(line), promise: nil)
        }
        if isFinishing { return close(context) }
        if holdsRead {
            holdsRead = false
            context.read()
        }
    }

    private func arm(_ due: NIODeadline, _ context: ChannelHandlerContext) {
        isArmed = true
        _ = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.isArmed = false
            guard context.channel.isActive else { return }
            self.returnLines(context)
            context.flush()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: finish(context)
        case let event as ChannelEvent where event == .inputClosed: finish(context)
        case is IdleStateHandler.IdleStateEvent:
            report("\(context.channel.remoteAddress?.description ?? "a peer") was silent for a minute")
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        isFinishing = true
        if waiting.isEmpty { close(context) }
    }

    /// Closes the connection when the kernel has accepted all lines.
    private func close(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        report("\(context.channel.remoteAddress?.description ?? "a peer"): \(error)")
        context.close(promise: nil)
    }
}

let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
let quiesce = ServerQuiescingHelper(group: group)
let drained = group.next().makePromise(of: Void.self)

/// The first SIGTERM or SIGINT drains the server. A second one ends the process at once.
let signals = [SIGTERM, SIGINT].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in
        report("\(number == SIGTERM ? "SIGTERM" : "SIGINT"): draining")
        for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
        quiesce.initiateShutdown(promise: drained)
        _ = group.next().scheduleTask(in: .seconds(10)) { exit(0) }
    }
    source.resume()
    return source
}

do {
    let server = try ServerBootstrap(group: group)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(quiesce.makeServerChannelHandler(channel: channel))
            }
        }
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(IdleStateHandler(allTimeout: .seconds(60)))
                try pipeline.addHandler(ByteToMessageHandler(LineBasedFrameDecoder(), maximumBufferSize: 4096))
                try pipeline.addHandler(BackPressureHandler())
                try pipeline.addHandler(LineHandler(rate: rate))
            }
        }
        .bind(host: "127.0.0.1", port: Int(port)).wait()
    report("listening on 127.0.0.1:\(server.localAddress?.port ?? 0)")
    try drained.futureResult.wait()
    try group.syncShutdownGracefully()
} catch {
    quit("cannot listen on 127.0.0.1:\(port): \(error)")
}
