// SPDX-License-Identifier: MIT
import Glibc
package import ReactiveSockets
import Synchronization

/// An address for a server whose connections or descriptors are counted. No other test of this process uses it. A unique
/// port would not suffice: ports are reused soon, and another test's client may still connect to one.
package func ownLoopback() -> SocketAddress {
    let number = ownLoopbacks.wrappingAdd(1, ordering: .relaxed).newValue
    precondition(number < 1 << 22, "more servers than there are loopback addresses")
    let host = "127.\(64 + number >> 16).\(number >> 8 & 255).\(number & 255)"
    do {
        return try SocketAddress(host: host, port: 0)
    } catch {
        preconditionFailure("\(error)")
    }
}

/// An abstract Unix address that no other test uses.
package func abstractName(_ suffix: String = "") -> SocketAddress {
    let number = abstractNames.wrappingAdd(1, ordering: .relaxed).newValue
    do {
        return try .abstract("swift-reactive-test-\(getpid())-\(number)\(suffix)")
    } catch {
        preconditionFailure("\(error)")
    }
}

private let ownLoopbacks = Atomic<Int>(0)
private let abstractNames = Atomic<Int>(0)
