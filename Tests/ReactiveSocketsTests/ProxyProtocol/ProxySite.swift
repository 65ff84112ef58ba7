// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

/// A listener on a loop that the test runs, its connections and its rejections.
struct ProxySite {
    /// The header of a client.
    static let header = ProxyHeader(
        .v2,
        from: SocketAddress(family: .ipv4, bytes: [192, 0, 2, 1], port: 1111),
        to: SocketAddress(family: .ipv4, bytes: [198, 51, 100, 1], port: 443)
    )
    static let loopback = TrustedProxies(AddressRange.loopback)

    let loop: any LoopScheduler
    let listener: Listener
    let accepted = Recorder<Connection>()
    let rejected = Recorder<RejectedPeer>()
    let subscription = SignalSubscription()

    init(
        _ kind: LoopKind,
        _ proxies: TrustedProxies,
        limit: Int = 1024,
        clock: any LoopClock = MonotonicClock()
    ) throws {
        loop = try kind.make(clock: clock)
        var template = ListenerCore.Template(watermarks: Watermarks(), transformer: nil, proxies: proxies)
        template.arrivalLimit = limit
        listener = try Listener(on: ownLoopback(), loop: loop, backlog: 16, options: [], template: template)
        listener.rejections.subscribe(onValue: { [rejected] in rejected.append($0) })
        listener.connections.subscribe(
            in: subscription,
            onValue: { [accepted] in accepted.append($0) },
            onTermination: noFailure()
        )
    }

    func peer(_ bytes: some Collection<UInt8>) throws -> RawPeer {
        let peer = try RawPeer(to: listener.localAddress)
        peer.send(bytes)
        return peer
    }

    /// Closes everything, checks that nothing is left, and disposes the loop. Each peer must have become a connection or
    /// a rejection, or the listener must be closed.
    func end() throws {
        #expect(listener.core.value.arrivals?.isEmpty == true)
        let address = listener.localAddress
        listener.close()
        for connection in accepted.values { connection.abort() }
        try loop.turns { OpenSockets.count(on: address) == 0 }
        try loop.expectNothingLeft()
        loop.dispose()
    }
}
