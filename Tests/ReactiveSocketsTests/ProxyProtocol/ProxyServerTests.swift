// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ProxyServerTests {
        private let header = ProxySite.header
        private let loopback = ProxySite.loopback

        @Test(
            "A connection reports the client, and begins with the byte after the header",
            arguments: LoopKind.all,
            [ProxyHeader.Version.v1, .v2]
        )
        func client(_ kind: LoopKind, _ version: ProxyHeader.Version) throws {
            let site = try ProxySite(kind, loopback)
            var header = header
            header.version = version
            let peer = try site.peer(Array(header.encoded) + Array("hello".utf8))
            try site.loop.turns { site.accepted.count == 1 }
            let connection = site.accepted.values[0]
            #expect(connection.remoteAddress == header.source && connection.localAddress == header.destination)
            #expect(connection.proxy?.header == header && connection.proxy?.localAddress == site.listener.localAddress)
            #expect(connection.proxy?.address.map { AddressRange.loopback[0].contains($0) } == true)
            let received = connection.received.log()
            try site.loop.turns { received.bytes.count == 5 }
            #expect(received.bytes == Array("hello".utf8))
            peer.close()
            try site.end()
        }

        @Test("LOCAL and UNKNOWN keep the addresses of the connection", arguments: LoopKind.all)
        func local(_ kind: LoopKind) throws {
            let site = try ProxySite(kind, loopback)
            let headers = [ProxyHeader.local(.v2), .local(.v1), ProxyHeader(.v2, from: nil, to: nil)]
            let peers = try headers.map { try site.peer($0.encoded) }
            try site.loop.turns { site.accepted.count == 3 }
            for connection in site.accepted.values {
                #expect(connection.remoteAddress == connection.proxy?.address && connection.remoteAddress != nil)
                #expect(connection.localAddress == site.listener.localAddress)
            }
            for peer in peers { peer.close() }
            try site.end()
        }

        @Test("A header that arrives byte by byte is complete with its last byte", arguments: LoopKind.all)
        func slow(_ kind: LoopKind) throws {
            let site = try ProxySite(kind, loopback)
            var header = header
            try header.append(.init(.authority, "example.com"))
            try header.append(.checksum)
            let peer = try site.peer([])
            for byte in header.encoded.dropLast() {
                peer.send([byte])
                try site.loop.turns(2)
            }
            #expect(site.accepted.count == 0)
            peer.send([header.encoded.last!])
            try site.loop.turns { site.accepted.count == 1 }
            #expect(site.accepted.values[0].proxy?.header.authority == "example.com")
            peer.close()
            try site.end()
        }

        @Test("An untrusted peer is reset, with or without a header", arguments: LoopKind.all)
        func untrusted(_ kind: LoopKind) throws {
            let site = try ProxySite(kind, TrustedProxies([try AddressRange("192.0.2.0/24")]))
            for bytes in [Array(header.encoded), Array("hello".utf8), []] {
                let peer = try site.peer(bytes)
                let (received, end) = try peer.receiveToEnd { isDone in try site.loop.turns(until: isDone) }
                #expect(received.isEmpty && end == .failed(ECONNRESET))
                peer.close()
            }
            #expect(site.accepted.count == 0)
            #expect(site.rejected.values.map(\.error.code) == [.untrusted, .untrusted, .untrusted])
            #expect(site.rejected.values.allSatisfy { $0.error.message.contains("192.0.2.0/24") })
            try site.end()
        }

        @Test("A trusted peer without a valid header is reset, and the reason is reported", arguments: LoopKind.all)
        func invalid(_ kind: LoopKind) throws {
            let site = try ProxySite(kind, loopback)
            var damaged = header
            try damaged.append(.checksum)
            var bytes = Array(damaged.encoded)
            bytes[16] ^= 1
            let cases: [([UInt8], ProxyProtocolError.Code)] = [
                (Array("GET / HTTP/1.1\r\n".utf8), .missing), (Array("PROXY TCP5\r\n".utf8), .malformed),
                (bytes, .wrongChecksum),
            ]
            for (number, (bytes, code)) in cases.enumerated() {
                let peer = try site.peer(bytes)
                let end = try peer.receiveToEnd { isDone in try site.loop.turns(until: isDone) }.end
                #expect(end == .failed(ECONNRESET))
                try site.loop.turns { site.rejected.count == number + 1 }
                #expect(site.rejected.values.last?.error.code == code)
                peer.close()
            }
            let short = try site.peer(Array("PROXY".utf8))
            short.finish()
            try site.loop.turns { site.rejected.count == 4 }
            #expect(site.rejected.values.last?.error.code == .incomplete && site.accepted.count == 0)
            short.close()
            try site.end()
        }

        @Test("A peer that sends no complete header is reset at the timeout", arguments: LoopKind.all)
        func timeout(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let site = try ProxySite(
                kind,
                TrustedProxies(AddressRange.loopback, headerTimeout: .seconds(7)),
                clock: clock
            )
            let peers = [try site.peer([]), try site.peer(Array("PROXY ".utf8))]
            let third = try site.peer(header.encoded)
            // The listening socket, and both ends of three connections.
            let address = site.listener.localAddress
            try site.loop.turns { site.accepted.count == 1 && OpenSockets.count(on: address) == 7 }
            clock.advance(by: .milliseconds(6_999))
            try site.loop.turns(3)
            #expect(site.rejected.count == 0)
            clock.advance(by: .milliseconds(2))
            try site.loop.turns { site.rejected.count == 2 }
            #expect(site.rejected.values.allSatisfy { $0.error.code == .timedOut })
            for peer in peers + [third] { peer.close() }
            try site.end()
        }

        @Test("Peers beyond the limit wait in the queue until a header is complete", arguments: LoopKind.all)
        func full(_ kind: LoopKind) throws {
            let site = try ProxySite(kind, loopback, limit: 2)
            let peers = try (0..<3).map { _ in try site.peer(header.encoded.dropLast()) }
            // The listening socket, the ends of three peers, and two accepted sockets.
            let address = site.listener.localAddress
            try site.loop.turns { OpenSockets.count(on: address) >= 6 }
            try site.loop.turns(5)
            #expect(OpenSockets.count(on: address) == 6)
            for peer in peers { peer.send([header.encoded.last!]) }
            try site.loop.turns { site.accepted.count == 3 }
            for peer in peers { peer.close() }
            try site.end()
        }

        @Test("The maximum size of a header is at least 107 bytes, and at most 65,551")
        func sizes() {
            var proxies = TrustedProxies([], maximumHeaderSize: 106)
            #expect(proxies.maximumHeaderSize == 107)
            for (size, allowed) in [(-1, 107), (108, 108), (65_551, 65_551), (65_552, 65_551)] {
                proxies.maximumHeaderSize = size
                #expect(proxies.maximumHeaderSize == allowed)
            }
        }

        @Test(
            "During a pause complete headers wait, and the connections follow the resumption",
            arguments: LoopKind.all
        )
        func pause(_ kind: LoopKind) throws {
            let site = try ProxySite(kind, loopback)
            let begun = try (0..<3).map { _ in try site.peer(Array(header.encoded).dropLast()) }
            try site.loop.turns(5)
            let pause = site.subscription.pause()
            for peer in begun { peer.send([header.encoded.last!]) }
            try site.loop.turns(5)
            #expect(site.accepted.count == 0)
            pause.dispose()
            #expect(site.accepted.count == 0)
            try site.loop.turns { site.accepted.count == 3 }
            for peer in begun { peer.close() }
            try site.end()
        }

        @Test("A Unix socket is trusted only by choice", arguments: LoopKind.all)
        func unix(_ kind: LoopKind) throws {
            for (ranges, isTrusted) in [([AddressRange.unix], true), (AddressRange.loopback, false)] {
                let address = abstractName()
                let loop = try kind.make()
                let listener = try Listener(on: address, loop: loop, proxies: TrustedProxies(ranges))
                let (accepted, rejected) = (Recorder<Connection>(), Recorder<RejectedPeer>())
                listener.rejections.subscribe(onValue: { rejected.append($0) })
                listener.connections.subscribe(onValue: { accepted.append($0) }, onTermination: noFailure())
                let peer = try RawPeer(to: address)
                peer.send(header.encoded)
                try loop.turns { accepted.count + rejected.count == 1 }
                #expect(accepted.count == (isTrusted ? 1 : 0))
                #expect(isTrusted == (accepted.values.first?.remoteAddress == header.source))
                peer.close()
                listener.close()
                loop.dispose()
            }
        }

        @Test(
            "A server reports rejected peers, and limits connections by the client's address",
            arguments: LoopKind.all
        )
        func server(_ kind: LoopKind) throws {
            let server = try Server(
                on: ownLoopback(),
                loops: ServerFixture.group(kind, 2),
                limits: ServerLimits(maxConnectionsPerAddress: 1),
                proxies: loopback
            ) { connection in connection.send(from: connection.received) }
            let events = ServerEvents(server)
            let client = try kind.make(name: "client", thread: .owned)
            // Each connection sends the header of a client of its own, so the limit does not apply.
            let connections = try (1...4).map { number in
                let source = SocketAddress(family: .ipv4, bytes: [192, 0, 2, UInt8(number)], port: 1)
                let settings = ConnectSettings(
                    proxyHeader: ProxyHeader(number % 2 == 0 ? .v1 : .v2, from: source, to: source)
                )
                let log = Connection.connect(to: server.localAddress, loop: client, settings: settings).log()
                try waitUntil("connection \(number)") { log.hasEnded }
                let connection = try #require(log.values.first)
                let received = connection.received.log()
                connection.send("hello")
                try waitUntil("the echo") { received.bytes.count == 5 }
                return connection
            }
            #expect(Set(events.accepted.values.compactMap { $0.remoteAddress?.bytes.last }) == [1, 2, 3, 4])
            let bad = try RawPeer(to: server.localAddress)
            bad.send(Array("hello".utf8))
            try waitUntil("the rejection") { events.rejected.count == 1 && server.totals.rejected == 1 }
            #expect(events.rejected.values[0].error.code == .missing && server.totals.accepted == 4)
            bad.close()
            for connection in connections { connection.abort() }
            try stop(server)
            client.dispose()
        }
    }
}
