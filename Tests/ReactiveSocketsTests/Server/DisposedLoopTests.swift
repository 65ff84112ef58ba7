// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct DisposedLoopTests {
        private func echo(_ loops: LoopGroup) throws -> Server {
            try Server(on: ownLoopback(), loops: loops) { connection in connection.send(from: connection.received) }
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

        @Test(
            "At the end of a drain, a server stops although one of its loops has been disposed",
            arguments: LoopKind.all
        )
        func deadline(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let loops = try LoopGroup(count: 2) { _ throws(LoopError) in try kind.make(clock: clock) }
            let server = try echo(loops)
            try loops.loops[0].turns(2)
            let drained = server.drain(within: .seconds(5)).log()
            loops.loops[1].dispose()
            try loops.loops[0].turns(5)
            #expect(!drained.hasEnded)
            clock.advance(by: .seconds(5))
            try loops.loops[0].turns { drained.hasEnded }
            #expect(drained.ends == [.completed] && server.state.value == .stopped)
            loops.dispose()
        }

        @Test(
            "A connection that waits for one of a disposed loop does not keep the server from stopping",
            arguments: LoopKind.all
        )
        func waiting(_ kind: LoopKind) throws {
            let loops = try LoopGroup(count: 2) { _ throws(LoopError) in try kind.make() }
            let descriptors = (0..<2).map { _ in RawSocket.bound(to: ownLoopback(), isBlocking: false) }
            for descriptor in descriptors { #expect(Glibc.listen(descriptor, 16) == 0) }
            let addresses = descriptors.compactMap { OpenSockets.localAddress(of: $0) }
            let server = try Server(
                adopting: descriptors,
                loops: loops,
                limits: ServerLimits(maxConnections: 1)
            ) { connection in connection.send(from: connection.received) }
            let clients = try addresses.map { try RawPeer(to: $0) }
            try loops.loops[0].turns { server.totals.accepted == 1 }
            // The listening socket, the client and the connection, which the limit delays.
            try loops.loops[1].turns { OpenSockets.count(on: addresses[1]) == 3 }
            #expect(server.totals.accepted == 1)
            loops.dispose()
            let drained = server.drain(within: .seconds(1000)).log()
            #expect(drained.ends == [.completed])
            #expect(server.state.value == .stopped)
            #expect(server.totals.accepted == 2 && server.totals.ended == 2)
            for client in clients { client.close() }
        }
    }
}
