import Glibc

/// Whether a descriptor has something to read now, or after a wait.
func isReadable(_ descriptor: Int32, waiting: Bool) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, waiting ? -1 : 0) == 1
}
