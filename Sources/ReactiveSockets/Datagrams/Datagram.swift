// SPDX-License-Identifier: MIT
/// A message of a ``DatagramSocket``. It arrives whole or not at all, and may be empty.
public struct Datagram: Sendable, Hashable {
    /// The payload, which may be empty.
    public var bytes: Bytes
    /// The sender of a received datagram, or the destination of a sent one.
    ///
    /// In a received datagram, `nil` means an unnamed sender, which only Unix sockets have. In a sent one, `nil` means
    /// the connected peer.
    public var peer: SocketAddress?
    /// Whether the received datagram was longer than the socket's `maximumSize`. The rest of its bytes is lost. Sending
    /// ignores this property.
    public var isTruncated: Bool

    /// Creates a datagram for `peer`. `nil` means the connected peer.
    public init(_ bytes: Bytes, to peer: SocketAddress? = nil) {
        self.init(bytes, peer, isTruncated: false)
    }

    init(_ bytes: Bytes, _ peer: SocketAddress?, isTruncated: Bool) {
        self.bytes = bytes
        self.peer = peer
        self.isTruncated = isTruncated
    }
}
