// SPDX-License-Identifier: MIT
package import ReactiveSockets

/// An address that does not answer: a listening socket whose queue of one is full.
package final class SilentPeer: Sendable {
    package let address: SocketAddress
    private let descriptors: [OwnedDescriptor]

    package init() {
        let (listener, address) = RawSocket.listener(backlog: 0)
        self.address = address
        let peers = (0..<4).map { _ in RawSocket.connecting(to: address) }
        descriptors = ([listener] + peers).map { descriptor in OwnedDescriptor(descriptor) }
        // On a simulated machine a handshake takes time. Afterwards no attempt ends.
        if Machine.simulated != nil { Machine.pause(.milliseconds(1)) }
    }

    package func close() { for descriptor in descriptors { descriptor.close() } }
}
