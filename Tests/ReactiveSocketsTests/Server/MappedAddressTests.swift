// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct MappedAddressTests {
        private static let plain = "TCP4 192.0.2.1 198.51.100.1"
        private static let mapped = "TCP6 ::ffff:192.0.2.1 ::ffff:198.51.100.1"
        private static let other = "TCP6 ::ffff:192.0.2.2 ::ffff:198.51.100.1"

        @Test(
            "The limit per address counts an IPv4 client and its IPv4-mapped IPv6 address as one",
            arguments: LoopKind.all,
            [false, true]
        )
        func limit(_ kind: LoopKind, _ isMappedFirst: Bool) throws {
            // The clock does not advance, so no header is late.
            let loop = try kind.make(clock: ManualClock())
            defer { loop.dispose() }
            let server = try Server(
                on: ownLoopback(),
                loops: LoopGroup(loop),
                limits: ServerLimits(maxConnectionsPerAddress: 1),
                proxies: TrustedProxies(AddressRange.loopback)
            ) { connection in connection.send(from: connection.received) }
            var count = 0
            /// Connects as a proxy for that client, and waits until the server has accepted or refused it.
            func arrive(_ addresses: String) throws -> RawPeer {
                let peer = try RawPeer(to: server.localAddress)
                peer.send("PROXY \(addresses) 1111 443\r\n".utf8)
                count += 1
                try loop.turns {
                    let totals = server.totals
                    return totals.accepted + totals.refused == count
                }
                return peer
            }
            let (first, second) = isMappedFirst ? (Self.mapped, Self.plain) : (Self.plain, Self.mapped)
            var clients = [try arrive(first), try arrive(second)]
            #expect(server.totals.accepted == 1 && server.totals.refused == 1)
            clients.append(try arrive(Self.other))
            #expect(server.totals.accepted == 2 && server.totals.refused == 1)
            // The end of the first connection makes room for the same address in the other form.
            clients[0].close()
            try loop.turns { server.totals.ended == 1 }
            clients.append(try arrive(second))
            #expect(server.totals.accepted == 3 && server.totals.refused == 1)
            clients.append(try arrive(first))
            #expect(server.totals.accepted == 3 && server.totals.refused == 2)
            #expect(server.totals.rejected == 0)
            let stopped = server.stop().log()
            try loop.turns { stopped.hasEnded }
            for client in clients { client.close() }
        }
    }
}
