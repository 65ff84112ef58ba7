// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSockets

    /// The two ends of the connection on which a message was received. All messages of a connection share one object.
    public final class HTTPPeer: Sendable {
        /// The address of the peer. `nil` means unknown.
        public let address: SocketAddress?
        /// The local address of the connection. `nil` means unknown.
        public let localAddress: SocketAddress?

        /// Creates a peer, for example in a test.
        public init(address: SocketAddress?, localAddress: SocketAddress? = nil) {
            self.address = address
            self.localAddress = localAddress
        }
    }

    extension HTTPPeer: CustomStringConvertible {
        /// The address of the peer, such as `127.0.0.1:50412`.
        public var description: String { address?.description ?? "a peer without an address" }
    }
#endif
