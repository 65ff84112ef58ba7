// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

extension Kernel {
    mutating func addHost(_ name: String, descriptorLimit: Int) -> Int {
        let host = Host(hosts.count, name, descriptorLimit: descriptorLimit)
        hosts.append(host)
        links.addHost()
        routes[host.routableFour] = host.index
        routes[host.routableSix] = host.index
        names[name] = [
            Endpoint(host.routableSix, 0).socketAddress(.ipv6), Endpoint(host.routableFour, 0).socketAddress(.ipv4),
        ]
        return host.index
    }

    mutating func signalEvent(_ host: Host, _ descriptor: Int32) {
        guard let event = host.descriptors[descriptor] as? EventObject else { return }
        event.signalCount += 1
        if event.signalCount > 1 { return }
        trace.note(2, host.index, descriptor, 1)
        event.notify()
    }

    /// Makes a timer descriptor readable from an instant of the world on. nil means never.
    mutating func set(_ timer: TimerObject, at time: Int64?) {
        if let event = timer.event.take() { timeline.cancel(event) }
        timer.hasExpired = false
        guard let time else { return }
        if time > now {
            timer.event = timeline.add(.expiration(timer), at: time)
        } else {
            expire(timer)
        }
    }

    func expire(_ timer: TimerObject) {
        timer.event = nil
        timer.hasExpired = true
        timer.notify()
    }

    /// Closes a descriptor. Returns 0 or `EBADF`.
    mutating func close(_ host: Host, _ descriptor: Int32) -> Int32 {
        guard let object = host.descriptors.close(descriptor) else { return EBADF }
        if object.references > 0 { return 0 }
        object.leaveSets()
        object.close(&self)
        return 0
    }

    mutating func crash(_ host: Host) {
        for (_, object) in host.descriptors.open where object.descriptor >= 0 {
            object.leaveSets()
            object.vanish(&self)
        }
        // Closed sockets may still send, and those of incomplete handshakes have no descriptor.
        for case let socket as TCPSocket in host.streamPorts.sockets { vanish(socket) }
        host.reset()
        host.isUp = false
    }

    /// Breaks every reference cycle. No poll set is left, because each one retains the network.
    mutating func tearDown() {
        for host in hosts { crash(host) }
        timeline.removeAll()
        held.removeAll()
    }
}
