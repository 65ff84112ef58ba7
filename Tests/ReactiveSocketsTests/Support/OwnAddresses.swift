// SPDX-License-Identifier: MIT
import Glibc
import SchedulerConformance

@testable import ReactiveSockets

/// An abstract Unix address that no other test uses.
func abstractName(_ suffix: String = "") -> SocketAddress {
    do {
        return try .abstract("swift-reactive-test-\(getpid())-\(names.increment())\(suffix)")
    } catch {
        preconditionFailure("\(error)")
    }
}

private let names = Box(0)
