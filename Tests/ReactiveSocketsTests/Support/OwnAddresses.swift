// SPDX-License-Identifier: MIT
import Glibc
import SchedulerConformance
import Synchronization

@testable import ReactiveSockets

/// An address for a server whose descriptors are counted. No other test of this process uses it. A unique port would
/// not suffice: ports are reused soon, and a datagram socket may have the same number.
func ownLoopback() -> SocketAddress {
    let number = ownLoopbacks.wrappingAdd(1, ordering: .relaxed).newValue
    precondition(number < 1 << 22, "more servers than there are loopback addresses")
    let bytes = withUnsafeBytes(of: UInt32(127 << 24 | 64 << 16 | number).bigEndian) { Array($0) }
    return SocketAddress(family: .ipv4, bytes: bytes)
}

private let ownLoopbacks = Atomic<Int>(0)

/// An abstract Unix address that no other test uses.
func abstractName(_ suffix: String = "") -> SocketAddress {
    do {
        return try .abstract("swift-reactive-test-\(getpid())-\(names.increment())\(suffix)")
    } catch {
        preconditionFailure("\(error)")
    }
}

private let names = Box(0)
