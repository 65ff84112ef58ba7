// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct DescriptionTests {
        @Test("A connection describes itself on any thread, even after it has ended", arguments: LoopKind.all)
        func connection(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let peer = OpenSockets.localAddress(of: client.descriptor)
            let start =
                "Connection \(connection.id) (local \(server.listener.localAddress), peer \(try #require(peer)), "
            let texts = Recorder<String>()
            try TestThread { texts.append("\(connection)") }.join()
            connection.abort()
            try server.loop.turns(1)
            try TestThread { texts.append("\(connection)") }.join()
            #expect(texts.values == [start + "open)", start + "closed)"])
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "A connection without addresses, and one of a disposed loop, describe themselves",
            arguments: LoopKind.all
        )
        func unknown(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            defer { pair.close() }
            let connection = try Connection(adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0), loop: loop)
            #expect("\(connection)".hasPrefix("Connection \(connection.id) (local "))
            #expect("\(connection)".hasSuffix(", open)"))
            loop.dispose()
            #expect("\(connection)".hasSuffix(", closed)"))
        }

        @Test("Each connection of the process has its own number, whichever thread creates it")
        func ids() throws {
            let loop = try LoopKind.dispatch.make()
            defer { loop.dispose() }
            let ids = Recorder<UInt64>()
            let threads = (0..<4).map { _ in
                TestThread {
                    for _ in 0..<50 {
                        let pair = SocketPair()
                        defer { pair.close() }
                        let copy = fcntl(pair.near, F_DUPFD_CLOEXEC, 0)
                        if let connection = try? Connection(adopting: copy, loop: loop) { ids.append(connection.id) }
                    }
                }
            }
            for thread in threads { try thread.join() }
            #expect(Set(ids.values).count == 200 && !ids.values.contains(0))
        }

        @Test("A listener describes itself, even after it has closed", arguments: LoopKind.all)
        func listener(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            #expect("\(server.listener)" == "Listener (\(server.listener.localAddress), open)")
            server.listener.close()
            try server.loop.turns(1)
            #expect("\(server.listener)" == "Listener (\(server.listener.localAddress), closed)")
        }

        @Test("A server describes itself, even after it has stopped", arguments: LoopKind.all)
        func server(_ kind: LoopKind) throws {
            let server = try ServerFixture.echo(kind, 1)
            #expect("\(server)" == "Server (\(server.localAddress), serving, 0 connections)")
            let client = try RawPeer(to: server.localAddress)
            ServerFixture.exchange(client)
            #expect("\(server)" == "Server (\(server.localAddress), serving, 1 connection)")
            server.drain(within: .seconds(1000))
            #expect("\(server)" == "Server (\(server.localAddress), draining, 1 connection)")
            client.close()
            try stop(server)
            #expect("\(server)" == "Server (\(server.localAddress), stopped, 0 connections)")
        }
    }
}
