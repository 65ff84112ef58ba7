// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

// Safe: the call receives a local variable with its size.
extension Descriptor {
    /// Blocks until the descriptor has one of these `poll(2)` events. Returns `false` after the time limit of a wait.
    package static func wait(for descriptor: Int32, _ events: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = unsafe poll(&request, 1, Int32(clamping: Latch.limit * 1000))
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
