/// One message of a ``DatagramSocket``: it comes whole or not at all, and may be empty.
public struct Datagram: Sendable, Hashable {
    /// What is in it.
    public var bytes: Bytes
    /// Of one that was received, who has sent it; nil where that one has no name, as a Unix socket need not have. Of one that
    /// is sent, who is to get it; nil stands for the peer that the socket is connected to.
    public var peer: SocketAddress?
    /// Whether it was longer than the socket's `maximumSize`: the rest of it is lost.
    public var isTruncated: Bool

    /// Makes one to be sent to `peer`, or to the peer that the socket is connected to.
    public init(_ bytes: Bytes, to peer: SocketAddress? = nil) {
        self.init(bytes, peer, isTruncated: false)
    }

    init(_ bytes: Bytes, _ peer: SocketAddress?, isTruncated: Bool) {
        self.bytes = bytes
        self.peer = peer
        self.isTruncated = isTruncated
    }
}
