// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Synchronization
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ServerEndTests {
        @Test("Draining accepts no connections, waits for the open ones, and stops", arguments: LoopKind.all, [1, 2])
        func draining(_ kind: LoopKind, _ loops: Int) throws {
            let server = try ServerFixture.echo(kind, loops)
            let events = ServerEvents(server)
            let states = Recorder<ServerState>()
            server.state.signal.subscribe(onValue: { states.append($0) })
            let clients = try (0..<6).map { _ in try RawPeer(to: server.localAddress) }
            for client in clients { ServerFixture.exchange(client) }
            let isOver = Latch()
            server.drain(within: .seconds(100)).subscribe(onTermination: { _ in isOver.arrive() })
            try waitUntil("refusal") {
                let descriptor = RawSocket.make(.stream, .ipv4)
                defer { Glibc.close(descriptor) }
                return server.localAddress.withSockaddr { connect(descriptor, $0, $1) } != 0 && errno == ECONNREFUSED
            }
            for client in clients {
                ServerFixture.exchange(client, "still here")
                client.finish()
                #expect(client.receiveAll().end == .end)
                client.close()
            }
            try isOver.wait()
            try events.isOver.wait()
            #expect(states.values == [.serving, .draining, .stopped])
            #expect(server.totals.ended == server.totals.accepted && server.totals.failed == 0)
            // Draining again changes nothing, and a late subscriber receives the completion.
            let again = Latch()
            server.drain(within: .seconds(5)).subscribe(onTermination: { _ in again.arrive() })
            try again.wait()
            try stop(server)
        }

        @Test(
            "When the grace period ends, the server aborts all remaining connections. The earliest deadline applies",
            arguments: LoopKind.all
        )
        func grace(_ kind: LoopKind) throws {
            let server = try ServerFixture.echo(kind, 2)
            let clients = try (0..<4).map { _ in try RawPeer(to: server.localAddress) }
            for client in clients { ServerFixture.exchange(client) }
            let isOver = Latch()
            let begin = ContinuousClock.now
            server.drain(within: .seconds(100)).subscribe(onTermination: { _ in isOver.arrive() })
            server.drain(within: .milliseconds(60))
            for client in clients { #expect(client.receiveAll().end == .failed(ECONNRESET)) }
            try isOver.wait()
            #expect(ContinuousClock.now - begin >= .milliseconds(60))
            #expect(server.totals.failed == 4)
            for client in clients { client.close() }
            try stop(server)
        }

        @Test(
            "Stopping while peers connect and disconnect leaves nothing, and every counter is correct",
            arguments: LoopKind.all
        )
        func stopping(_ kind: LoopKind) throws {
            let server = try ServerFixture.echo(
                kind,
                2,
                limits: ServerLimits(maxConnections: 8, maxConnectionsPerAddress: 6)
            )
            let events = ServerEvents(server)
            let goOn = Atomic<Bool>(true)
            let address = server.localAddress
            let threads = (0..<4).map { _ in
                TestThread {
                    while goOn.load(ordering: .relaxed) {
                        let descriptor = RawSocket.make(.stream, .ipv4)
                        if address.withSockaddr({ connect(descriptor, $0, $1) }) == 0 {
                            Descriptor.put("x", to: descriptor)
                        }
                        Glibc.close(descriptor)
                    }
                }
            }
            try waitUntil("some traffic") { server.totals.ended > 50 }
            let isOver = Latch()
            server.stop().subscribe(onTermination: { _ in isOver.arrive() })
            try isOver.wait()
            goOn.store(false, ordering: .relaxed)
            for thread in threads { try thread.join() }
            try events.isOver.wait()
            let totals = server.totals
            #expect(totals.accepted == totals.ended && events.accepted.values.count == totals.accepted)
            #expect(events.ended.values.count == totals.ended && events.refused.values.count == totals.refused)
            #expect(server.connectionCount.value == 0)
            try stop(server)
        }

        @Test("A server whose loops have been disposed can still be stopped", arguments: LoopKind.all)
        func disposed(_ kind: LoopKind) throws {
            let server = try ServerFixture.echo(kind, 2)
            let events = ServerEvents(server)
            let clients = try (0..<4).map { _ in try RawPeer(to: server.localAddress) }
            for client in clients { ServerFixture.exchange(client) }
            server.loops.dispose()
            let isOver = Latch()
            server.drain(within: .seconds(100)).subscribe(onTermination: { _ in isOver.arrive() })
            try isOver.wait()
            try events.isOver.wait()
            #expect(server.state.value == .stopped && server.connectionCount.value == 0)
            #expect(server.totals.accepted == 4 && server.totals.ended == 4)
            for client in clients { client.close() }
            #expect(OpenSockets.count(on: server.localAddress) == 0)
        }
    }
}
