// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerEngine
import Testing

// The snippets of Docs/Restarts.md, and of the doc comments about restarts.

@Suite struct DocsRestarts {
    private let service: @Sendable (Connection) -> Signal<Never, SocketError> = { $0.send(from: $0.received) }

    @Test func restarting() throws {
        let loop = try EpollLoop(name: "restarts")
        let loops = LoopGroup(loop)
        let path = try SocketAddress.abstract("reactive-docs-restarts-\(getpid())")
        try handOver(at: path, .loopback(port: 0), loop, loops)
        try activate(loops)
        // Another address: the loop does not run, so it has not closed the first one.
        try comment(loop, .abstract("reactive-docs-comment-\(getpid())"))
        loops.dispose()
    }

    private func activate(_ loops: LoopGroup) throws {
        if let sockets = try InheritedSockets.activated() {
            let server = try Server(adopting: sockets.take("echo"), loops: loops, service: service)
            server.stop()
        }
    }

    private func handOver(
        at path: SocketAddress,
        _ address: SocketAddress,
        _ loop: any LoopScheduler,
        _ loops: LoopGroup
    ) throws {
        let inherited = try InheritedSockets.handedOver(at: path)
        let server =
            if let inherited {
                try Server(adopting: inherited.take("echo"), loops: loops, service: service)
            } else {
                try Server(on: address, loops: loops, service: service)
            }
        let handover = try Handover(of: [.server("echo", server)], at: path, loop: loop, after: inherited)
        handover.completed.subscribe(onTermination: { _ in server.drain(within: .seconds(30)) })
        try inherited?.acknowledge()
        #expect(inherited == nil && !handover.isCompleted)
        try report(server, loop)
        handover.close()
    }

    private func report(_ server: Server, _ loop: any LoopScheduler) throws {
        let manager = try ServiceManager.fromEnvironment()
        try manager?.notify(.ready, .status("serving on \(server.localAddress)"))
        let watchdog = try manager?.feedWatchdog(from: [loop])
        watchdog?.dispose()
    }

    private func comment(_ loop: any LoopScheduler, _ path: SocketAddress) throws {
        let (inherited, loops): (InheritedSockets?, LoopGroup) = (nil, LoopGroup(loop))
        let server = try Server(on: .loopback(port: 0), loops: loops, service: service)
        let handover = try Handover(of: [.server("echo", server)], at: path, loop: loop, after: inherited)
        handover.completed.subscribe(onTermination: { _ in server.drain(within: .seconds(30)) })
        try inherited?.acknowledge()
        handover.close()
    }
}
