// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    /// Unix clients that bind to a path before they connect.
    @Suite struct ClientPathTests {
        private struct Paths {
            let folder: TestFolder
            let server: SocketAddress
            var settings = ConnectSettings()

            init() throws {
                folder = try TestFolder()
                server = try .unix(path: folder.path("server"))
                settings.localAddress = try .unix(path: client)
            }

            var client: String { folder.path("client") }

            var isLeft: Bool { access(client, F_OK) == 0 }
        }

        @Test(
            "N17: a client's file is removed with its connection, and a dead client's file is replaced",
            arguments: LoopKind.all
        )
        func goes(_ kind: LoopKind) throws {
            let (loop, paths) = (try kind.make(), try Paths())
            defer { paths.folder.remove() }
            Descriptor.close(RawSocket.bound(to: try .unix(path: paths.client)))
            try waitUntilNobodyHas(.unix(path: paths.client), .datagram)
            let listener = try Listener(on: paths.server, loop: loop)
            listener.connections.subscribe(onValue: { $0.send(from: $0.received) }, onTermination: noFailure())
            for way in 0..<4 {
                let log = Connection.connect(to: paths.server, loop: loop, settings: paths.settings).log()
                try loop.turns { log.hasEnded }
                #expect(log.isCompleted && paths.isLeft, "\(log.ends)")
                let connection = try #require(log.values.first)
                #expect(connection.localAddress?.path == paths.client)
                let ended = connection.ended.log()
                switch way {
                case 0: connection.abort()
                case 1: connection.close()
                case 2: connection.close(within: .zero)
                default:
                    connection.received.subscribe(onValue: { _ in }, onTermination: { _ in })
                    connection.finishSending()
                }
                try loop.turns { ended.hasEnded }
                #expect(!paths.isLeft, "way \(way)")
            }
            // A connection without references.
            do {
                let log = Connection.connect(to: paths.server, loop: loop, settings: paths.settings).log()
                try loop.turns { log.hasEnded }
            }
            #expect(!paths.isLeft)
            listener.close()
            try loop.turns(2)
            loop.dispose()
        }

        @Test("N17: a failed attempt removes its file", arguments: LoopKind.all)
        func fails(_ kind: LoopKind) throws {
            let (loop, paths) = (try kind.make(), try Paths())
            defer { paths.folder.remove() }
            let log = Connection.connect(toAnyOf: [paths.server, paths.server], loop: loop, settings: paths.settings)
                .log()
            try loop.turns { log.hasEnded }
            #expect(log.code == .noSuchPath && !paths.isLeft)
            loop.dispose()
        }

        @Test("N7: an attempt from a path waits while the listener's queue is full", arguments: LoopKind.all)
        func waits(_ kind: LoopKind) throws {
            let (loop, paths) = (try kind.make(), try Paths())
            defer { paths.folder.remove() }
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let (server, filler) = (socket(AF_UNIX, type, 0), socket(AF_UNIX, type, 0))
            #expect(paths.server.withSockaddr { bind(server, $0, $1) } == 0)
            listen(server, 0)
            #expect(paths.server.withSockaddr { connect(filler, $0, $1) } == 0)
            let log = Connection.connect(to: paths.server, loop: loop, settings: paths.settings).log()
            // After the second attempt.
            let isLater = Box(false)
            loop.schedule(after: .milliseconds(15)) { isLater.value = true }
            try loop.turns { isLater.value }
            let first = accept(server, nil, nil)
            try loop.turns { log.hasEnded }
            #expect(log.isCompleted, "\(log.ends)")
            for connection in log.values { connection.abort() }
            try loop.turns(2)
            #expect(!paths.isLeft)
            for descriptor in [first, server, filler] { close(descriptor) }
            unlink(paths.server.path ?? "")
            loop.dispose()
        }
    }
}
