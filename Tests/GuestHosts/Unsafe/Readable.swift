// SPDX-License-Identifier: MIT
import Glibc

/// Whether the descriptor is readable now. If `waiting` is true, blocks until it is.
func isReadable(_ descriptor: Int32, waiting: Bool) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, waiting ? -1 : 0) == 1
}
