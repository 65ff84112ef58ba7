// SPDX-License-Identifier: MIT
import ReactiveSockets
import ReactiveSupport

/// The kernel of one host: the system calls of its sockets and loops. Any thread may call every member.
final class HostKernel: Sendable {
    let network: SimulatedNetwork
    /// The host's position among the hosts of its network, from 0.
    let index: Int
    /// The host whose process runs on this kernel. nil in tests of the kernel alone.
    let owner = Lock<Weak<SimulatedHost>?>(nil)

    let clock: HostClock

    init(_ network: SimulatedNetwork, index: Int, drift: Int64) {
        self.network = network
        self.index = index
        clock = HostClock(network: network, drift: drift)
    }

    /// The lowest number of a descriptor. Real descriptors are smaller.
    var firstDescriptor: Int32 { SimulatedDescriptors.first }

    /// The host's IPv4 address on the network, with a port.
    func address(port: UInt16) -> SocketAddress {
        withHost { _, host in Endpoint(host.routableFour, port).socketAddress(.ipv4) }
    }

    /// The host's IPv6 address on the network, with a port.
    func ipv6Address(port: UInt16) -> SocketAddress {
        withHost { _, host in Endpoint(host.routableSix, port).socketAddress(.ipv6) }
    }

    /// Creates a set of this host's descriptors; see ``PollSet/init(_:host:onReady:)``.
    func makePollSet(onReady: @escaping @Sendable () -> Void) -> PollSet {
        PollSet(network, host: index, onReady: onReady)
    }

    /// The number of descriptors that may be open at the same time. Lowering it closes no descriptor.
    var descriptorLimit: Int {
        get { withHost { _, host in host.descriptors.limit } }
        set { withHost { _, host in host.descriptors.limit = newValue } }
    }

    /// The open descriptors, with a text for each.
    var openDescriptors: [Int32: String] {
        withHost { _, host in
            Dictionary(uniqueKeysWithValues: host.descriptors.open.map { ($0, $1.summary) })
        }
    }

    /// The open sockets in the order of their descriptors, with a text for each.
    var openSockets: [(descriptor: Int32, text: String)] {
        withHost { _, host in
            host.descriptors.open.filter { $1 is SocketObject }.map { ($0, $1.summary) }
        }
    }

    /// Delivers a process signal to the event descriptors that listen to it. Without one it is ignored.
    func raise(_ signal: Int32) {
        withHost { kernel, host in
            kernel.record(.signals, host.index, count: Int(signal))
            for descriptor in host.signalListeners[signal] ?? [] { kernel.signalEvent(host, descriptor) }
        }
    }

    /// Closes every descriptor, in the order of the numbers, as the exit of a process does.
    func exit() {
        withHost { kernel, host in
            kernel.record(.exits, host.index)
            for (descriptor, _) in host.descriptors.open { _ = kernel.close(host, descriptor) }
            host.signalListeners.removeAll()
        }
    }

    /// Stops the host at once. Its sockets vanish without informing their peers. Files of Unix sockets remain.
    func crash() {
        withHost { kernel, host in
            kernel.record(.crashes, host.index)
            kernel.crash(host)
        }
    }

    /// Whether the host has crashed, and has not been started again.
    var isDown: Bool { withHost { _, host in !host.isUp } }

    /// Starts a crashed host, without sockets. It answers packets for its old connections with a reset.
    func restart() {
        withHost { kernel, host in
            kernel.record(.restarts, host.index)
            host.isUp = true
        }
    }

    @inline(__always)
    func withHost<Result: Sendable>(_ body: (inout Kernel, Host) -> Result) -> Result {
        network.withKernel { kernel in body(&kernel, kernel.hosts[index]) }
    }
}
