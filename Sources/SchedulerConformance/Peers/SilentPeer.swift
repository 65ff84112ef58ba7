// SPDX-License-Identifier: MIT
package import ReactiveSockets

/// An address that does not answer: a listening socket whose queue of one is full.
package final class SilentPeer: Sendable {
    package let address: SocketAddress
    private let descriptors: [Int32]

    package init() {
        let (listener, address) = RawSocket.listener(backlog: 0)
        self.address = address
        descriptors = [listener] + (0..<4).map { _ in RawSocket.connecting(to: address) }
        // On a simulated machine a handshake takes time. Afterwards no attempt ends.
        if Machine.simulated != nil { Machine.pause(.milliseconds(1)) }
    }

    deinit { for descriptor in descriptors { Descriptor.close(descriptor) } }
}
