import Glibc

/// A Unix socket's file, known by its number, not by its name alone.
///
/// Safe: the system's calls get a path or a local variable, and keep no pointer.
struct SocketFile {
    private let path: String
    private let device: dev_t
    private let number: ino_t

    init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        number = status.st_ino
    }

    /// Binds a socket to an address, and replaces a dead socket's file (rule N25, Decision 0032).
    ///
    /// - Returns: 0 and the file that was made, if the address has a path; else an error number.
    static func bind(_ socket: SystemSocket, to address: SocketAddress) -> (code: Int32, file: SocketFile?) {
        var code = socket.bind(address)
        guard let path = address.path else { return (code, nil) }
        if code == EADDRINUSE, isDead(path, address) { code = rebind(socket, path, address) }
        // Looked at now, so that a file that another process puts there later is not taken for this one.
        return (code, code == 0 ? SocketFile(path) : nil)
    }

    /// Removes it, unless another one has its name by now.
    func remove() {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_dev == device, status.st_ino == number else { return }
        unsafe unlink(path)
    }

    /// Replaces a dead socket's file. Of servers that start at the same time each looks again under the lock, and the first has
    /// replaced it by then.
    private static func rebind(_ socket: SystemSocket, _ path: String, _ address: SocketAddress) -> Int32 {
        guard let lock = FolderLock(ofFileAt: path) else { return EADDRINUSE }
        defer { lock.release() }
        if isDead(path, address) { unsafe unlink(path) }
        return socket.bind(address)
    }

    /// Whether it is a socket's file, and no socket is bound to it any more.
    ///
    /// A datagram socket is asked to connect. It is refused (`ECONNREFUSED`) only where the kernel knows no socket for that file:
    /// one of another kind is `EPROTOTYPE`, whether it listens or not. So no server sees a connection by this.
    private static func isDead(_ path: String, _ address: SocketAddress) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        guard case .success(let probe) = SystemSocket.make(.datagram, .unix) else { return false }
        defer { probe.close() }
        return probe.connect(address) == ECONNREFUSED
    }
}

/// A lock on a folder, between processes and within one: it leaves no file, and the kernel releases it with its process.
private struct FolderLock {
    private let descriptor: Int32

    /// Another server holds it for microseconds; one who holds it for longer is none.
    private static let attempts = 1000
    private static let pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)

    /// Waits for up to a second; nil where the folder cannot be locked.
    init?(ofFileAt path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        for _ in 0..<Self.attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            var pause = Self.pause
            unsafe nanosleep(&pause, nil)
        }
        close(descriptor)
        return nil
    }

    /// A child that is being started may have a copy of the descriptor: closing alone would leave the lock to it.
    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
