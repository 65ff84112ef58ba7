// SPDX-License-Identifier: MIT
import Glibc

/// The file of a Unix socket, identified by device and inode number.
///
/// Safe: the system calls receive a path or a local variable, and keep no pointer.
final class SocketFile: Sendable {
    private let path: String
    private let device: dev_t
    private let number: ino_t

    init?(_ path: String) {
        guard let (device, number) = Self.identify(path) else { return nil }
        (self.path, self.device, self.number) = (path, device, number)
    }

    private static func identify(_ path: String) -> (dev_t, ino_t)? {
        if let system = SimulatedDescriptors.system { return system.file(at: path).map { (0, ino_t($0)) } }
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }

    /// Binds a socket to an address, and replaces the file of a dead socket (rule N25, Decision 0032).
    ///
    /// - Returns: 0 or an error number, and the new file. The file is `nil` after an error, and if the address has no
    ///   path.
    static func bind(_ socket: SystemSocket, to address: SocketAddress) -> (code: Int32, file: SocketFile?) {
        var code = socket.bind(address)
        guard let path = address.path else { return (code, nil) }
        if code == EADDRINUSE {
            if let system = SimulatedDescriptors.system {
                system.removeDeadFile(at: path)
                code = socket.bind(address)
            } else if isDead(path, address) {
                code = rebind(socket, path, address)
            }
        }
        // Identify the file now, because another process may replace it later.
        return (code, code == 0 ? SocketFile(path) : nil)
    }

    /// Removes the file, unless another file has replaced it.
    func remove() {
        guard let found = Self.identify(path), found == (device, number) else { return }
        if let system = SimulatedDescriptors.system { system.removeFile(at: path) } else { unsafe unlink(path) }
    }

    /// Replaces a dead socket's file. Each of several concurrent servers checks again under the lock, so only the first
    /// replaces the file.
    private static func rebind(_ socket: SystemSocket, _ path: String, _ address: SocketAddress) -> Int32 {
        guard let lock = FolderLock(ofFileAt: path) else { return EADDRINUSE }
        defer { lock.release() }
        if isDead(path, address) { unsafe unlink(path) }
        return socket.bind(address)
    }

    /// Whether the path is a socket file to which no socket is bound.
    ///
    /// The probe is a datagram socket that connects to the file. It fails with `ECONNREFUSED` if no socket is bound to
    /// the file, and with `EPROTOTYPE` if a stream socket is bound to it. So a live server never sees the probe as a
    /// connection.
    private static func isDead(_ path: String, _ address: SocketAddress) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        guard case .success(let probe) = SystemSocket.make(.datagram, .unix) else { return false }
        defer { probe.close() }
        return probe.connect(address) == ECONNREFUSED
    }
}

/// A lock on a folder, which excludes other processes and other threads. It leaves no file, and the kernel releases it
/// when the process exits.
private struct FolderLock {
    private let descriptor: Int32

    /// A server holds the lock for microseconds, so attempts for one second are enough.
    private static let attempts = 1000
    private static let pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)

    /// Waits up to one second. Returns nil if the folder cannot be locked.
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

    /// Unlocks before closing, because a child process that is being started may have a copy of the descriptor.
    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
