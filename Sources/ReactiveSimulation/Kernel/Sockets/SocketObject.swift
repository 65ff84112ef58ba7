// SPDX-License-Identifier: MIT
import ReactiveSockets

/// A socket of any kind. Only the holder of the network's lock uses it.
class SocketObject: KernelObject {
    final let kind: SocketType
    final let family: SocketAddress.Family
    final var options: SocketOptions
    /// The error that the next call returns, or 0 (`sk_err` in Linux).
    final var pendingError: Int32 = 0
    /// Whether `close` resets the connection (`SO_LINGER` with a time of zero).
    final var lingersZero = false

    init(host: Int, _ kind: SocketType, _ family: SocketAddress.Family, _ options: SocketOptions) {
        self.kind = kind
        self.family = family
        self.options = options
        super.init(host: host)
    }

    /// Returns the pending error and clears it.
    final func takeError() -> Int32 {
        defer { pendingError = 0 }
        return pendingError
    }

    /// Whether the socket listens (`SO_ACCEPTCONN`).
    var isListening: Bool { false }
    /// Whether the socket has a local address, so that some options can no longer change.
    var isBound: Bool { false }
    var localAddress: SocketAddress? { nil }
    var remoteAddress: SocketAddress? { nil }
    var readableCount: Int { 0 }
    var unsentCount: Int { 0 }
    /// Whether the peer has ended its stream, or the connection has failed.
    var hasPeerEnded: Bool { pendingError != 0 }
    /// Called after an option has changed.
    func didSetOption() {}
}

/// The addresses of a socket of an IP protocol.
struct IPIdentity {
    let family: SocketAddress.Family
    var binding: Binding?
    /// The binding of a closed connection that waits for the peer's end of stream.
    var waitingBinding: Binding?
    var local: Endpoint
    var remote: Endpoint?
    /// Whether the program has chosen the address (`SOCK_BINDADDR_LOCK`). A failed connection releases any other.
    var isLocked = false

    init(_ family: SocketAddress.Family) {
        self.family = family
        local = Endpoint(family == .ipv4 ? .anyFour : .anySix, 0)
    }

    /// Removes the local address if the program has not chosen it. The port stays.
    mutating func resetAddress() {
        if !isLocked { local.address = family == .ipv4 ? .anyFour : .anySix }
    }

    func didSetOption(_ options: SocketOptions) {
        binding?.reusesAddress = options.reusesAddress
        binding?.reusesPort = options.reusesPort
    }
}

/// A socket of an IP protocol.
protocol IPObject: SocketObject {
    var address: IPIdentity { get set }
}
