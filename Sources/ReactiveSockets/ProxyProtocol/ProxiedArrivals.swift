// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The peers of a listener whose PROXY headers are not complete, or that wait for the subscriber. Every member is called
/// on the loop.
final class ProxiedArrivals {
    /// A peer whose header is complete.
    typealias Arrived = (socket: SystemSocket, peer: SocketAddress?, header: ProxyHeader)

    let proxies: TrustedProxies
    let loop: any LoopScheduler
    let rejections = Subject<RejectedPeer, Never>()
    private let limit: Int
    private let listener: WeakHandle<ListenerCore>
    private var reading = IdentityTable<ProxiedArrival>()
    private var arrived = FIFO<Arrived>()
    private var isClosed = false

    init(_ proxies: TrustedProxies, _ limit: Int, _ listener: ListenerCore) {
        self.proxies = proxies
        self.limit = limit
        loop = listener.loop
        self.listener = WeakHandle(listener)
    }

    // An arrival that waits for its header retains this object.
    deinit {
        for peer in arrived.takeAll() { peer.socket.closeWithReset() }
    }

    /// Whether the listener must accept no more peers.
    var isFull: Bool { reading.count + arrived.count >= limit }

    /// Takes a peer that has been accepted. May call the subscriber.
    func add(_ socket: SystemSocket, _ peer: SocketAddress?) {
        guard proxies.trusts(peer) else {
            socket.closeWithReset()
            let ranges = proxies.ranges.map(\.description).joined(separator: ", ")
            let error = ProxyProtocolError(.untrusted, "its address is not one of the trusted proxies (\(ranges))")
            return report(peer, error)
        }
        let arrival = ProxiedArrival(socket, peer, self)
        reading[ObjectIdentifier(arrival)] = arrival
        arrival.start()
    }

    /// Takes the next peer whose header is complete.
    func next() -> Arrived? { arrived.popFirst() }

    var isEmpty: Bool { reading.isEmpty && arrived.isEmpty }

    var hasArrived: Bool { !arrived.isEmpty }

    func completed(_ arrival: ProxiedArrival, _ header: ProxyHeader) {
        forget(arrival)
        if isClosed { return arrival.socket.closeWithReset() }
        arrived.append((arrival.socket, arrival.peer, header))
        listener.object?.arrivalsChanged()
    }

    func rejected(_ arrival: ProxiedArrival, _ error: ProxyProtocolError) {
        forget(arrival)
        report(arrival.peer, error)
    }

    func forget(_ arrival: ProxiedArrival) { reading[ObjectIdentifier(arrival)] = nil }

    /// Resets all peers, because the listener has closed. Completes the rejections.
    func close() {
        drop()
        rejections.complete()
    }

    /// Resets all peers.
    func drop() {
        isClosed = true
        let left = reading
        reading = IdentityTable()
        for arrival in left.values { arrival.drop() }
        for peer in arrived.takeAll() { peer.socket.closeWithReset() }
    }

    private func report(_ peer: SocketAddress?, _ error: ProxyProtocolError) {
        rejections.send(RejectedPeer(address: peer, error: error))
        listener.object?.arrivalsChanged()
    }
}
