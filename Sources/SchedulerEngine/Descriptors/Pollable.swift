// SPDX-License-Identifier: MIT
import CReactive
import Glibc

/// Whether epoll can wait for a descriptor.
///
/// Pollers check this before they call a library that prints a line to standard error if epoll cannot.
package enum Pollable {
    /// Returns 0 if epoll can wait for the descriptor, else the error number: `EBADF`, `EPERM`, or that of a failed
    /// check.
    package static func check(_ descriptor: Int32) -> Int32 {
        var status = stat()
        // Safe: the call fills a local variable.
        if unsafe fstat(descriptor, &status) != 0 { return errno }
        switch status.st_mode & S_IFMT {
        // Sockets, pipes, and descriptors without a file (eventfd and the like): always.
        case S_IFSOCK, S_IFIFO, 0: return 0
        default:
            // Some files in /proc and /sys can be waited for, and terminals can, but /dev/null cannot. Only epoll
            // itself knows.
            let epoll = reactive_epoll_create()
            if epoll < 0 { return errno }
            defer { close(epoll) }
            return reactive_epoll_control(epoll, EpollOperation.add.rawValue, descriptor, 0, 0)
        }
    }
}
