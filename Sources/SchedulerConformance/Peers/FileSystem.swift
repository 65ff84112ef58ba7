// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

/// Files and folders that a check creates.
///
/// Safe: the system calls receive strings and keep no pointer.
enum FileSystem {
    static func exists(_ path: String) -> Bool {
        if let machine = Platform.simulated { return machine.file(at: path) != nil }
        return unsafe access(path, F_OK) == 0
    }

    static func makeFile(_ path: String) {
        if let machine = Platform.simulated { return machine.makeFile(at: path) }
        unsafe close(open(path, O_CREAT | O_WRONLY, 0o600))
    }

    static func removeFile(_ path: String) {
        if let machine = Platform.simulated { return machine.removeFile(at: path) }
        unsafe unlink(path)
    }

    /// Creates a folder that no other process uses. The caller removes it.
    static func makeFolder() -> String {
        if let machine = Platform.simulated {
            machine.makeFolder(at: "/tmp/reactive-kit")
            return "/tmp/reactive-kit"
        }
        var template = Array("/tmp/reactive-kit-XXXXXX".utf8CString)
        guard let path = unsafe mkdtemp(&template) else { fatalError("mkdtemp: \(errno)") }
        return unsafe String(cString: path)
    }

    /// Locks a folder until the returned descriptor is closed.
    ///
    /// A simulated machine has no such lock, because it replaces a dead socket's file in one step.
    static func lockFolder(_ path: String) -> Int32 {
        if let machine = Platform.simulated { return machine.openFile() }
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        flock(descriptor, LOCK_EX)
        return descriptor
    }

    static func removeFolder(_ path: String) {
        if let machine = Platform.simulated { return machine.removeFolder(at: path) }
        unsafe rmdir(path)
    }
}
