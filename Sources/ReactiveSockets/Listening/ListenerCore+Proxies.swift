// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The peers of a listener that trusts proxies.
extension ListenerCore {
    /// Delivers peers whose headers are complete, and accepts again if there is room.
    func arrivalsChanged() {
        deliverArrivals()
        if retirement != nil, arrivals?.isEmpty == true { return close() }
        updateWatch()
    }

    /// Delivers the peers that have arrived during a pause, in a later job of the loop. So resuming does not call the
    /// subscriber.
    func scheduleArrivals() {
        guard let arrivals, arrivals.hasArrived else { return }
        let core = UnsafeTransfer(self)
        loop.execute { core.value.arrivalsChanged() }
    }

    private func deliverArrivals() {
        while isOpen, acceptsValues, let (socket, peer, header) = arrivals?.next() {
            deliver(connection(socket, peer, header))
        }
    }

    /// The connection of a peer, with the addresses of its header.
    private func connection(_ socket: SystemSocket, _ peer: SocketAddress?, _ header: ProxyHeader) -> Connection {
        let shared = context(of: socket, on: template.nextLoop?() ?? loop)
        let proxy = ConnectionProxy(address: peer, localAddress: shared.address, header: header)
        return Connection(
            socket,
            in: ConnectionContext(sharing: shared, proxy),
            to: header.source ?? peer,
            transformer: template.transformer?()
        )
    }
}
