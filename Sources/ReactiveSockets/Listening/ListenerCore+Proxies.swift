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
}
