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
    @Suite struct SharedSocketTests {
        /// A listening socket that this test keeps open, as a service manager does, and a server with a duplicate of it.
        private struct Site {
            let descriptor: Int32
            let address: SocketAddress
            let loop: any LoopScheduler
            let server: Server

            init(_ kind: LoopKind, proxies: TrustedProxies? = nil) throws {
                let socket = try BoundSocket(on: ownLoopback(), backlog: 16, options: []).socket
                descriptor = socket.descriptor
                address = try #require(socket.localAddress)
                loop = try kind.make()
                server = try Server(adopting: [dup(descriptor)], loops: LoopGroup(loop), proxies: proxies) {
                    connection in
                    connection.send(from: connection.received)
                }
            }

            func end() throws {
                try loop.turns { server.state.value == .stopped }
                #expect(server.totals.failed == 0)
                Descriptor.close(descriptor)
                loop.dispose()
                #expect(OpenSockets.count(on: address) == 0)
            }
        }

        private func expectEcho(_ client: RawPeer, _ loop: any LoopScheduler) throws {
            client.send(Array("hello".utf8))
            var back: [UInt8] = []
            try loop.turns {
                if case .bytes(let bytes) = client.receive() { back += bytes }
                return back.count >= 5
            }
            #expect(back == Array("hello".utf8))
            client.finish()
        }

        @Test("After a drain, peers wait in the queue for the next process", arguments: LoopKind.all)
        func queue(_ kind: LoopKind) throws {
            let site = try Site(kind)
            let first = try RawPeer(to: site.address)
            try expectEcho(first, site.loop)
            site.server.drain(within: .seconds(60))
            let late = try RawPeer(to: site.address)
            try site.loop.turns { site.server.state.value == .stopped }
            let next = try Server(adopting: [dup(site.descriptor)], loops: LoopGroup(site.loop)) { connection in
                connection.send(from: connection.received)
            }
            #expect(next.localAddress == site.address)
            try expectEcho(late, site.loop)
            try site.loop.turns { next.totals.ended == 1 }
            next.drain(within: .seconds(60))
            try site.loop.turns { next.state.value == .stopped }
            for peer in [first, late] { peer.close() }
            try site.end()
        }

        @Test("A peer whose PROXY header is incomplete when the drain begins is served", arguments: LoopKind.all)
        func header(_ kind: LoopKind) throws {
            let site = try Site(kind, proxies: TrustedProxies(AddressRange.loopback))
            let client = try RawPeer(to: site.address)
            client.send(Array("PROXY TCP4 192.0.2.1 ".utf8))
            // This test's socket, the server's, and both ends of the connection.
            try site.loop.turns { OpenSockets.count(on: site.address) == 4 }
            site.server.drain(within: .seconds(60))
            try site.loop.turns(5)
            #expect(site.server.state.value == .draining)
            client.send(Array("192.0.2.2 1 2\r\n".utf8))
            try expectEcho(client, site.loop)
            try site.loop.turns { site.server.totals.ended == 1 }
            client.close()
            try site.end()
        }

        @Test("A drain ends when the last peer with an incomplete PROXY header is rejected", arguments: LoopKind.all)
        func rejected(_ kind: LoopKind) throws {
            let site = try Site(kind, proxies: TrustedProxies(AddressRange.loopback))
            let client = try RawPeer(to: site.address)
            client.send(Array("PROXY ".utf8))
            try site.loop.turns { OpenSockets.count(on: site.address) == 4 }
            site.server.drain(within: .seconds(60))
            try site.loop.turns(5)
            client.send(Array("TCP5\r\n".utf8))
            try site.loop.turns { site.server.totals.rejected == 1 }
            try site.loop.turns(5)
            #expect(site.server.state.value == .stopped)
            client.close()
            try site.end()
        }

        @Test("The end of the grace period also ends the wait for PROXY headers", arguments: LoopKind.all)
        func grace(_ kind: LoopKind) throws {
            let site = try Site(kind, proxies: TrustedProxies(AddressRange.loopback))
            let client = try RawPeer(to: site.address)
            client.send(Array("PROXY ".utf8))
            try site.loop.turns { OpenSockets.count(on: site.address) == 4 }
            site.server.drain(within: .milliseconds(20))
            let end = try client.receiveToEnd { isDone in try site.loop.turns(until: isDone) }.end
            #expect(end == .failed(ECONNRESET))
            client.close()
            try site.end()
        }

        @Test("A server adopts several sockets on as many loops, and refuses wrong ones", arguments: LoopKind.all)
        func adopting(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let service: @Sendable (Connection) -> Signal<Never, SocketError> = { $0.send(from: $0.received) }
            let none = #expect(throws: SocketError.self) {
                _ = try Server(adopting: [], loops: LoopGroup(loop), service: service)
            }
            #expect(none?.code == .badDescriptor)
            let sockets = try (0..<2).map { _ in try BoundSocket(on: ownLoopback(), backlog: 16, options: []).socket
            }
            let (near, far) = Descriptor.sockets()
            let wrong = #expect(throws: SocketError.self) {
                _ = try Server(adopting: [sockets[0].descriptor, near], loops: LoopGroup(loop), service: service)
            }
            #expect(wrong?.code == .badDescriptor)
            Descriptor.close(near)
            Descriptor.close(far)
            // After the error the caller still owns them.
            let addresses = sockets.compactMap(\.localAddress)
            let server = try Server(adopting: sockets.map(\.descriptor), loops: LoopGroup(loop), service: service)
            for address in addresses {
                let client = try RawPeer(to: address)
                try expectEcho(client, loop)
                client.close()
            }
            try loop.turns { server.totals.ended == 2 }
            server.stop()
            try loop.turns { server.state.value == .stopped }
            loop.dispose()
            for address in addresses { #expect(OpenSockets.count(on: address) == 0) }
        }

        @Test(
            "A server with fewer sockets than loops assigns peers in rotation, otherwise to the loop of their socket",
            arguments: LoopKind.all,
            [1, 2]
        )
        func rotation(_ kind: LoopKind, _ count: Int) throws {
            let loops = try LoopGroup(count: 2) { _ throws(LoopError) in try kind.make() }
            let descriptors = try (0..<count).map { _ in
                try BoundSocket(on: ownLoopback(), backlog: 16, options: []).socket.descriptor
            }
            let server = try Server(adopting: descriptors, loops: loops) { _ in .never }
            let clients = try (0..<4).map { _ in try RawPeer(to: server.localAddress) }
            try loops.loops[0].turns { server.core.present.connections == 4 }
            #expect(server.core.served.count { $0.connection.loop === loops.loops[1] } == (count == 1 ? 2 : 0))
            for client in clients { client.close() }
            loops.dispose()
            try waitUntil("the close") { OpenSockets.count(on: server.localAddress) == 0 }
        }
    }
}
