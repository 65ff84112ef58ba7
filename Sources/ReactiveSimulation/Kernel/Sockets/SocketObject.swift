// SPDX-License-Identifier: MIT
import ReactiveSockets

/// The error number of a system call that has failed.
struct ErrorNumber: Error {
    let number: Int32

    init(_ number: Int32) { self.number = number }
}

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

/// A socket of an IP protocol.
class IPSocket: SocketObject {
    final var binding: Binding?
    /// The binding of a closed connection that waits for the peer's end of stream.
    final var waitingBinding: Binding?
    final var local: Endpoint
    final var remote: Endpoint?
    /// Whether the program has chosen the address (`SOCK_BINDADDR_LOCK`). A failed connection releases any other.
    final var isAddressLocked = false

    override init(host: Int, _ kind: SocketType, _ family: SocketAddress.Family, _ options: SocketOptions) {
        local = Endpoint(family == .ipv4 ? .anyFour : .anySix, 0)
        super.init(host: host, kind, family, options)
    }

    /// Removes the local address if the program has not chosen it. The port stays.
    final func resetAddress() {
        if !isAddressLocked { local.address = family == .ipv4 ? .anyFour : .anySix }
    }

    final override var isBound: Bool { binding != nil }
    final override var localAddress: SocketAddress? { local.socketAddress(family) }

    final override func didSetOption() {
        binding?.reusesAddress = options.reusesAddress
        binding?.reusesPort = options.reusesPort
    }
}
