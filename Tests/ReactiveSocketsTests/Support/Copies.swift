// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport

@testable import ReactiveSockets

// Another test that starts a program holds copies of all descriptors until its program runs. Only then is a closed
// descriptor really closed, and its address free.

/// Retries `make` until the address that it needs is free.
func whenFree<Made>(_ make: () throws -> Made) throws -> Made {
    var made = Result { try make() }
    try waitUntil("free address") {
        guard case .failure(let error as SocketError) = made, error.code == .addressInUse else { return true }
        made = Result { try make() }
        return false
    }
    return try made.get()
}

/// Waits until no socket uses the address. Works for Unix sockets, and for datagrams, whose refusal arrives within
/// the call.
///
/// A stream probe is also refused by a socket that does not listen. A datagram probe is refused only if there is no
/// socket of any kind.
func waitUntilNobodyHas(_ address: SocketAddress, _ kind: SystemSocket.Kind) throws {
    precondition(kind == .datagram || address.family == .unix)
    try waitUntil("end of the last one at \(address)") {
        guard case .success(let probe) = SystemSocket.make(kind, address.family) else { return false }
        defer { probe.close() }
        let code = probe.connect(address)
        guard code == 0, kind == .datagram else { return code == ECONNREFUSED }
        // On loopback the refusal arrives within the call.
        send(probe.descriptor, "", 0, Int32(MSG_NOSIGNAL))
        return send(probe.descriptor, "", 0, Int32(MSG_NOSIGNAL)) == -1 && errno == ECONNREFUSED
    }
}
