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
    /// The end of a listener or a server whose peers have not sent a complete PROXY header, or are not served yet.
    @Suite struct ProxyEndTests {
        private let header = ProxySite.header
        private let loopback = ProxySite.loopback

        @Test("Closing the listener resets peers whose headers are not complete", arguments: LoopKind.all)
        func closing(_ kind: LoopKind) throws {
            let site = try ProxySite(kind, loopback)
            let waiting = try site.peer(Array("PROXY ".utf8))
            let complete = try site.peer(Array(header.encoded).dropLast())
            try site.loop.turns(5)
            _ = site.subscription.pause()
            complete.send([header.encoded.last!])
            try site.loop.turns(5)
            site.listener.close()
            for peer in [waiting, complete] {
                let end = try peer.receiveToEnd { isDone in try site.loop.turns(until: isDone) }.end
                #expect(end == .failed(ECONNRESET))
                peer.close()
            }
            #expect(site.accepted.count == 0 && site.rejected.count == 0)
            try site.end()
        }

        @Test(
            "Disposing the loop resets peers whose headers are not complete",
            arguments: LoopKind.all,
            [false, true]
        )
        func disposedLoop(_ kind: LoopKind, _ isPeerFirst: Bool) throws {
            // Loops release their descriptors by number, and these numbers are free for the peer.
            let free = isPeerFirst ? SocketPair() : nil
            let site = try ProxySite(kind, loopback)
            free?.closeNear()
            free?.closeFar()
            let peer = try site.peer(Array("PROXY ".utf8))
            try site.loop.turns { OpenSockets.count(on: site.listener.localAddress) == 3 }
            site.loop.dispose()
            let end = try peer.receiveToEnd { isDone in try waitUntil("the reset", isDone) }.end
            #expect(end == .failed(ECONNRESET))
            #expect(OpenSockets.count(on: site.listener.localAddress) == 0)
            peer.close()
        }

        @Test("Releasing the listener closes peers whose headers are not complete", arguments: LoopKind.all)
        func released(_ kind: LoopKind) throws {
            let loop = try kind.make()
            var listener: Listener? = try Listener(on: ownLoopback(), loop: loop, proxies: loopback)
            let address = try #require(listener?.localAddress)
            let subscription = SignalSubscription()
            listener?.connections.subscribe(in: subscription, onValue: { _ in }, onTermination: noFailure())
            let peer = try RawPeer(to: address)
            peer.send(Array("PROXY ".utf8))
            try loop.turns(5)
            subscription.dispose()
            try loop.turns(2)
            listener = nil
            try loop.turns { OpenSockets.count(on: address) == 0 }
            peer.close()
            loop.dispose()
        }

        @Test("Disposing the loop resets the peers of a listener without a subscriber", arguments: LoopKind.all)
        func unsubscribed(_ kind: LoopKind) throws {
            let loop = try kind.make()
            var listener: Listener? = try Listener(on: ownLoopback(), loop: loop, proxies: loopback)
            let address = try #require(listener?.localAddress)
            weak var arrivals: ProxiedArrivals?
            arrivals = listener?.core.value.arrivals
            let subscription = SignalSubscription()
            listener?.connections.subscribe(in: subscription, onValue: { _ in }, onTermination: noFailure())
            let peers = try (0..<2).map { _ in try RawPeer(to: address) }
            for peer in peers { peer.send(header.encoded.dropLast()) }
            try loop.turns { OpenSockets.count(on: address) == 5 }
            _ = subscription.pause()
            peers[0].send([header.encoded.last!])
            try loop.turns(5)
            subscription.dispose()
            try loop.turns(2)
            loop.dispose()
            listener = nil
            #expect(arrivals == nil)
            for peer in peers {
                let end = try peer.receiveToEnd { isDone in try waitUntil("the reset", isDone) }.end
                #expect(end == .failed(ECONNRESET))
                peer.close()
            }
            #expect(OpenSockets.count(on: address) == 0)
        }

        @Test("Disposing the loop during a drain resets peers that wait to be served", arguments: LoopKind.all)
        func disposedDrain(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let descriptor = RawSocket.bound(to: ownLoopback(), isBlocking: false)
            #expect(Glibc.listen(descriptor, 16) == 0)
            weak var core: ServerCore?
            let address = try #require(OpenSockets.localAddress(of: descriptor))
            let peers: [RawPeer]
            do {
                let server = try Server(
                    adopting: [descriptor],
                    loops: LoopGroup(loop),
                    limits: ServerLimits(maxConnections: 1),
                    proxies: loopback
                ) { connection in connection.send(from: connection.received) }
                core = server.core
                peers = try (0..<2).map { _ in try RawPeer(to: address) }
                for peer in peers { peer.send(header.encoded.dropLast()) }
                try loop.turns { OpenSockets.count(on: address) == 5 }
                // The first is served, so the second waits.
                for peer in peers {
                    peer.send([header.encoded.last!])
                    try loop.turns { server.totals.accepted == 1 }
                    try loop.turns(5)
                }
                server.drain(within: .seconds(1000))
                try loop.turns(5)
                loop.dispose()
                #expect(server.state.value == .stopped && server.totals.accepted == 1 && server.totals.ended == 1)
            }
            let end = try peers[1].receiveToEnd { isDone in try waitUntil("the reset", isDone) }.end
            #expect(end == .failed(ECONNRESET))
            for peer in peers { peer.close() }
            try waitUntil("the sockets to close") { OpenSockets.count(on: address) == 0 }
            #expect(core == nil)
        }
    }
}
