import Glibc
import LoopTestSupport

@testable import ReactiveSockets

// A program that another test is starting holds a copy of every descriptor until it begins: what a test has closed is
// closed, and its address free, only then.

/// Makes what needs an address that was just given up.
func whenFree<Made>(_ make: () throws -> Made) throws -> Made {
    var made = Result { try make() }
    try waitUntil("free address") {
        guard case .failure(let error as SocketError) = made, error.code == .addressInUse else { return true }
        made = Result { try make() }
        return false
    }
    return try made.get()
}

/// Waits until what was closed at the address is gone: a Unix socket, or datagrams, whose refusal comes within the call.
///
/// A stream probe is refused by a socket that does not listen, too. A datagram probe is refused only where there is none of any kind.
func waitUntilNobodyHas(_ address: SocketAddress, _ kind: SystemSocket.Kind) throws {
    precondition(kind == .datagram || address.family == .unix)
    try waitUntil("end of the last one at \(address)") {
        guard case .success(let probe) = SystemSocket.make(kind, address.family) else { return false }
        defer { probe.close() }
        let code = probe.connect(address)
        guard code == 0, kind == .datagram else { return code == ECONNREFUSED }
        // The loopback answers within the call.
        send(probe.descriptor, "", 0, Int32(MSG_NOSIGNAL))
        return send(probe.descriptor, "", 0, Int32(MSG_NOSIGNAL)) == -1 && errno == ECONNREFUSED
    }
}
