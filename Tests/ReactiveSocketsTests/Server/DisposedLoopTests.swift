// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct DisposedLoopTests {
        private func echo(_ loops: LoopGroup, on address: SocketAddress = ownLoopback()) throws -> Server {
            try Server(on: address, loops: loops) { connection in connection.send(from: connection.received) }
        }

        /// An echo server for one connection, with two loops that the test runs. Each has a listening socket of its own.
        private func single(_ kind: LoopKind) throws -> (LoopGroup, Server, addresses: [SocketAddress]) {
            let loops = try LoopGroup(count: 2) { _ throws(LoopError) in try kind.make() }
            let descriptors = (0..<2).map { _ in RawSocket.bound(to: ownLoopback(), isBlocking: false) }
            for descriptor in descriptors { #expect(Glibc.listen(descriptor, 16) == 0) }
            let addresses = descriptors.compactMap { OpenSockets.localAddress(of: $0) }
            let server = try Server(
                adopting: descriptors,
                loops: loops,
                limits: ServerLimits(maxConnections: 1)
            ) { connection in connection.send(from: connection.received) }
            return (loops, server, addresses)
        }

        @Test(
            "A server stops although its disposed loop has dropped the job that closes the listener",
            arguments: LoopKind.all,
            [Duration.zero, .seconds(30)]
        )
        func dropped(_ kind: LoopKind, _ grace: Duration) throws {
            let loops = LoopGroup(try kind.make())
            let server = try echo(loops)
            let events = ServerEvents(server)
            try loops.loops[0].turns(2)
            let first = server.drain(within: .seconds(30)).log()
            // The loop does not run in between, so it drops the jobs of the drain.
            loops.dispose()
            let second = server.drain(within: grace).log()
            #expect(first.ends == [.completed] && second.ends == [.completed])
            #expect(server.state.value == .stopped && events.isOver.isOpen)
        }

        @Test(
            "A server on two loops stops although one of them has dropped the job that closes its listener",
            arguments: LoopKind.all,
            [0, 1]
        )
        func oneOfTwo(_ kind: LoopKind, _ disposed: Int) throws {
            let loops = try LoopGroup(count: 2) { _ throws(LoopError) in try kind.make() }
            let server = try echo(loops)
            let other = loops.loops[1 - disposed]
            try other.turns(2)
            let first = server.drain(within: .seconds(1000)).log()
            loops.loops[disposed].dispose()
            try other.turns(5)
            let second = server.stop().log()
            try other.turns(5)
            #expect(first.ends == [.completed] && second.ends == [.completed])
            #expect(server.state.value == .stopped)
            loops.dispose()
        }

        @Test("A drain does not wait for a loop that has been disposed", arguments: LoopKind.all)
        func drained(_ kind: LoopKind) throws {
            let loops = try LoopGroup(count: 2) { _ throws(LoopError) in try kind.make(clock: ManualClock()) }
            let server = try echo(loops)
            try loops.loops[0].turns(2)
            let drained = server.drain(within: .seconds(5)).log()
            try loops.loops[0].turns(5)
            #expect(!drained.hasEnded)
            loops.loops[1].dispose()
            try loops.loops[0].turns { drained.hasEnded }
            #expect(drained.ends == [.completed] && server.state.value == .stopped)
            loops.dispose()
        }

        @Test(
            "A connection that waits for one of a disposed loop does not keep the server from stopping",
            arguments: LoopKind.all
        )
        func waiting(_ kind: LoopKind) throws {
            let (loops, server, addresses) = try single(kind)
            let events = ServerEvents(server)
            let clients = try addresses.map { try RawPeer(to: $0) }
            try loops.loops[0].turns { server.totals.accepted == 1 }
            // The listening socket, the client and the connection, which the limit delays.
            try loops.loops[1].turns { OpenSockets.count(on: addresses[1]) == 3 }
            #expect(server.totals.accepted == 1)
            loops.dispose()
            let drained = server.drain(within: .seconds(1000)).log()
            #expect(drained.ends == [.completed])
            #expect(server.state.value == .stopped)
            // The second connection was not served.
            #expect(server.totals.accepted == 1 && server.totals.ended == 1)
            #expect(events.accepted.count == 1 && events.ended.count == 1)
            for client in clients { client.close() }
            for address in addresses { try waitUntil("the close") { OpenSockets.count(on: address) == 0 } }
        }

        @Test("A disposed loop frees the places of its connections for those of other loops", arguments: LoopKind.all)
        func places(_ kind: LoopKind) throws {
            let (loops, server, addresses) = try single(kind)
            let events = ServerEvents(server)
            let lost = try RawPeer(to: addresses[1])
            try loops.loops[1].turns { server.totals.accepted == 1 }
            let client = try RawPeer(to: addresses[0])
            client.send(Array("hello".utf8))
            try loops.loops[0].turns { OpenSockets.count(on: addresses[0]) == 3 }
            #expect(server.totals.accepted == 1)
            loops.loops[1].dispose()
            #expect(events.ended.values.map(\.failure?.code) == [.loop])
            var reply: [UInt8] = []
            try loops.loops[0].turns {
                if case .bytes(let bytes) = client.receive() { reply += bytes }
                return reply.count == 5
            }
            for peer in [client, lost] { peer.close() }
            let stopped = server.stop().log()
            try loops.loops[0].turns { stopped.hasEnded }
            loops.dispose()
            for address in addresses { try waitUntil("the close") { OpenSockets.count(on: address) == 0 } }
        }

        @Test("A connection that the loop does not watch closes with the loop", arguments: LoopKind.all)
        func unwatched(_ kind: LoopKind) throws {
            weak var core: ServerCore?
            let (address, client): (SocketAddress, RawPeer)
            do {
                let loop = try kind.make()
                let began = Box(false)
                let server = try Server(on: ownLoopback(), loops: LoopGroup(loop)) { connection in
                    // After the first chunk nothing reads, and nothing waits to be written.
                    connection.send(
                        from: connection.received.take(1).flatMap { _ in
                            began.value = true
                            return Signal<Bytes, SocketError>.never
                        }
                    )
                }
                core = server.core
                address = server.localAddress
                client = try RawPeer(to: address)
                client.send([1])
                try loop.turns { began.value }
                try loop.turns(5)
                loop.dispose()
            }
            let end = try client.receiveToEnd { isDone in try waitUntil("the end", isDone) }.end
            #expect(end == .end)
            client.close()
            #expect(OpenSockets.count(on: address) == 0 && core == nil)
        }

        @Test("A connection ends once, although an observer of its end disposes the loop", arguments: LoopKind.all)
        func disposedInEnd(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let server = try echo(LoopGroup(loop))
            let events = ServerEvents(server)
            server.events.subscribe(onValue: { event in
                guard case .ended = event else { return }
                loop.dispose()
                server.drain(within: .zero)
            })
            let client = try RawPeer(to: server.localAddress)
            try loop.turns { server.totals.accepted == 1 }
            client.close()
            try loop.turns { loop.isDisposed }
            #expect(events.ended.count == 1 && events.ended.values.allSatisfy { $0.failure == nil })
            #expect(server.totals.ended == 1 && server.totals.failed == 0 && server.state.value == .stopped)
        }

        @Test("The socket of a loop that has never run closes with the loop", arguments: LoopKind.all)
        func neverRun(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let server = try echo(LoopGroup(loop))
            #expect(OpenSockets.count(on: server.localAddress) == 1)
            loop.dispose()
            #expect(OpenSockets.count(on: server.localAddress) == 0)
            let drained = server.drain(within: .seconds(1000)).log()
            #expect(drained.ends == [.completed] && server.state.value == .stopped)
        }

        @Test("A drain waits for a callback of a loop that another thread disposes", arguments: LoopKind.all)
        func busy(_ kind: LoopKind) throws {
            let (loop, began, goOn) = (try kind.make(thread: .owned), Latch(), Latch())
            let server = try Server(on: ownLoopback(), loops: LoopGroup(loop)) { connection in
                began.arrive()
                try? goOn.wait()
                return connection.send(from: connection.received)
            }
            let client = try RawPeer(to: server.localAddress)
            try began.wait()
            // It waits for the loop's thread.
            let disposal = TestThread { loop.dispose() }
            try waitUntil("the request of the disposal") { loop.isDisposed }
            let stopped = server.stop().log()
            #expect(!stopped.hasEnded && OpenSockets.count(on: server.localAddress) == 3)
            goOn.arrive()
            try disposal.join()
            #expect(stopped.ends == [.completed])
            client.close()
            #expect(OpenSockets.count(on: server.localAddress) == 0)
            #expect(server.totals.accepted == 1 && server.totals.ended == 1)
        }

        @Test("A connection whose loop never began to serve it has no events", arguments: LoopKind.all)
        func neverBegun(_ kind: LoopKind) throws {
            let loops = try LoopGroup(count: 2) { _ throws(LoopError) in try kind.make() }
            let server = try echo(loops, on: abstractName())
            let events = ServerEvents(server)
            let clients = try (0..<2).map { _ in try RawPeer(to: server.localAddress) }
            // The first loop accepts both, and the second one never runs.
            try loops.loops[0].turns { server.totals.accepted == 1 && server.core.present.connections == 2 }
            loops.loops[1].dispose()
            #expect(events.accepted.count == 1 && events.ended.count == 0)
            let stopped = server.stop().log()
            try loops.loops[0].turns { stopped.hasEnded }
            #expect(events.accepted.count == 1 && events.ended.count == 1 && server.totals.ended == 1)
            for client in clients { client.close() }
            loops.dispose()
        }

        @Test("A drain whose first loop is disposed resets the connections of the others", arguments: LoopKind.all)
        func firstLoop(_ kind: LoopKind) throws {
            let loops = try LoopGroup(count: 2) { _ throws(LoopError) in try kind.make() }
            let server = try echo(loops, on: abstractName())
            let events = ServerEvents(server)
            let clients = try (0..<2).map { _ in try RawPeer(to: server.localAddress) }
            try loops.loops[0].turns { server.core.present.connections == 2 }
            try loops.loops[1].turns { server.totals.accepted == 2 }
            let drained = server.drain(within: .seconds(1000)).log()
            try loops.loops[1].turns(5)
            loops.loops[0].dispose()
            #expect(!drained.hasEnded)
            try loops.loops[1].turns { drained.hasEnded }
            #expect(server.state.value == .stopped && server.totals.ended == 2)
            // The end of the last connection is reported before the completion.
            #expect(events.ended.count == 2 && events.isOver.isOpen)
            for client in clients { client.close() }
            loops.dispose()
        }

        @Test("A server stops when its last loop is disposed", arguments: LoopKind.all)
        func lastLoop(_ kind: LoopKind) throws {
            let loops = try LoopGroup(count: 2) { _ throws(LoopError) in try kind.make() }
            let server = try echo(loops)
            let events = ServerEvents(server)
            loops.loops[0].dispose()
            #expect(server.state.value == .serving)
            loops.loops[1].dispose()
            #expect(server.state.value == .stopped && events.isOver.isOpen)
        }
    }
}
