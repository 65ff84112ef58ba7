// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets

/// How packets travel between hosts. A change affects the packets that are sent after it, except where noted.
extension SimulatedNetwork {
    /// The conditions of every link between two hosts that has none of its own.
    var conditions: LinkConditions {
        get { withKernel { kernel in kernel.links.standard } }
        set { withKernel { kernel in kernel.links.standard = newValue } }
    }

    /// Sets the conditions of one direction. nil restores the network's conditions. The link of a host to itself is the
    /// loopback interface.
    func setConditions(_ conditions: LinkConditions?, from source: HostKernel, to target: HostKernel) {
        withKernel { kernel in kernel.links.setConditions(conditions, Links.Direction(source.index, target.index)) }
    }

    /// Blocks or unblocks one direction: every packet that is sent is lost. TCP sends again, so a connection survives a
    /// partition that is shorter than its time limits.
    func setBlocked(_ isBlocked: Bool, from source: HostKernel, to target: HostKernel) {
        withKernel { kernel in kernel.links[Links.Direction(source.index, target.index)].isBlocked = isBlocked }
    }

    /// Holds or releases one direction: no packet arrives while it is held, including those that are travelling.
    func setHeld(_ isHeld: Bool, from source: HostKernel, to target: HostKernel) {
        withKernel { kernel in kernel.setHeld(Links.Direction(source.index, target.index), isHeld) }
    }

    /// Sets the addresses of a host name. nil makes it unknown.
    func setName(_ name: String, _ addresses: [SocketAddress]?) {
        withKernel { kernel in kernel.names[name] = addresses }
    }
}
