import Glibc

/// A Unix socket's file, known by its number, not by its name alone.
struct SocketFile {
    private let path: String
    private let device: dev_t
    private let number: ino_t

    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        number = status.st_ino
    }

    /// Removes it, unless another one has its name by now.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == number else { return }
        unlink(path)
    }

    /// Whether it is a socket that nobody has open any more: its server has died.
    static func isStale(_ path: String, _ address: SocketAddress, _ kind: SystemSocket.Kind) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        guard case .success(let probe) = SystemSocket.make(kind, .unix) else { return false }
        defer { probe.close() }
        // One that is served says that it is, or that its queue is full.
        return probe.connect(address) == ECONNREFUSED
    }
}
