// SPDX-License-Identifier: MIT
import Glibc
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
        // Until one connection waits to be accepted, another attempt could succeed.
        if Platform.simulated != nil {
            Platform.pause(.milliseconds(1))
        } else if !Descriptor.wait(for: listener, POLLIN) {
            fatalError("no connection at \(address) within \(Latch.limit) s")
        }
    }

    package func close() { for descriptor in descriptors { descriptor.close() } }
}
