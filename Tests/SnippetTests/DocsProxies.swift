// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerEngine
import Testing

// The snippets of Docs/Proxies.md, and of the doc comments about the PROXY protocol.

@Suite struct DocsProxies {
    @Test func serving() async throws {
        let loops = LoopGroup(try EpollLoop(name: "proxies"))
        defer { loops.dispose() }
        let address = SocketAddress.loopback(port: 0)
        try page(address, loops)
        try comment(address, loops)
    }

    private func page(_ address: SocketAddress, _ loops: LoopGroup) throws {
        let proxies = TrustedProxies([try AddressRange("10.0.0.0/8"), try AddressRange("fd00::/8")])
        let server = try Server(on: address, loops: loops, proxies: proxies) { connection in
            connection.send(from: connection.received)
        }
        server.stop()
    }

    private func comment(_ address: SocketAddress, _ loops: LoopGroup) throws {
        let proxies = TrustedProxies([try AddressRange("10.0.0.0/8")])
        let server = try Server(on: address, loops: loops, proxies: proxies) { connection in
            connection.send(from: connection.received)
        }
        server.stop()
    }

    @Test func ranges() throws {
        let range = try AddressRange("192.168.0.0/16")
        let isInside = range.contains(.loopback(port: 80))  // false
        #expect(!isInside)
    }

    private func settings(_ peer: Connection) -> ConnectSettings {
        var settings = ConnectSettings()
        settings.proxyHeader = ProxyHeader(.v2, forwarding: peer)
        return settings
    }

    private func comment(_ settings: inout ConnectSettings, _ client: Connection) {
        settings.proxyHeader = ProxyHeader(.v2, forwarding: client)
    }
}
