import CReactive
import Glibc

/// Whether the system can wait for descriptors of a kind, for libraries that answer one that it cannot with a line on
/// standard error.
package enum Pollable {
    /// 0 where it can, else the error number that epoll gives.
    package static func check(_ descriptor: Int32) -> Int32 {
        var status = stat()
        // Safe: the call fills a local variable.
        if unsafe fstat(descriptor, &status) != 0 { return errno }
        switch status.st_mode & S_IFMT {
        // Sockets, pipes, and what has no file at all (eventfd and its like): always.
        case S_IFSOCK, S_IFIFO, 0: return 0
        default:
            // Of files, some in /proc and /sys can be waited for; of devices, terminals can and /dev/null cannot. epoll itself knows.
            let epoll = reactive_epoll_create()
            if epoll < 0 { return errno }
            defer { close(epoll) }
            return reactive_epoll_control(epoll, 1, descriptor, 0, 0)
        }
    }
}
