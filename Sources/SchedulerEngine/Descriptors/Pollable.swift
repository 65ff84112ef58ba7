// SPDX-License-Identifier: MIT
import CReactive
import Glibc

/// Whether epoll can wait for a descriptor.
///
/// A poller checks this before it calls a library that prints to standard error if epoll cannot wait. A loop checks it where
/// a poller passes nothing to the kernel.
package enum Pollable {
    /// Returns 0 if epoll can wait for the descriptor. Otherwise returns `EBADF`, `EPERM`, or the error number of the
    /// check itself.
    package static func check(_ descriptor: Int32) -> Int32 {
        var status = stat()
        // Safe: the call fills a local variable.
        if unsafe fstat(descriptor, &status) != 0 { return errno }
        switch status.st_mode & S_IFMT {
        // epoll can wait for every socket and pipe, and for descriptors without a file, such as an eventfd.
        case S_IFSOCK, S_IFIFO, 0: return 0
        default:
            // epoll can wait for terminals and for some files in /proc and /sys, but not for /dev/null. Only a trial
            // shows which.
            let epoll = reactive_epoll_create()
            if epoll < 0 { return errno }
            defer { close(epoll) }
            return reactive_epoll_control(epoll, EpollOperation.add.rawValue, descriptor, 0, 0)
        }
    }
}
