// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport

/// Socket activation, as sd_listen_fds(3) describes it.
///
/// Safe: the system's functions receive strings and local memory, and keep no pointer.
extension InheritedSockets {
    /// The first descriptor that a service manager passes.
    private static let first: Int32 = 3
    private static let limit = 1024

    /// Takes the sockets that the service manager has passed in the variables `LISTEN_PID`, `LISTEN_FDS` and
    /// `LISTEN_FDNAMES`.
    ///
    /// It removes these variables, so that child processes do not take the sockets too, and sets the descriptors to
    /// close-on-exec. Call it once, before other threads read the environment or open descriptors. A socket without a
    /// name is named `unknown`.
    ///
    /// - Returns: The sockets. `nil` if the service manager has passed none to this process.
    /// - Throws: `malformed` if a variable contradicts the protocol. `badDescriptor` if a descriptor is closed or not a
    ///   socket. The descriptors then stay open.
    public static func activated() throws(SocketError) -> InheritedSockets? {
        guard let process = Environment["LISTEN_PID"], let count = Environment["LISTEN_FDS"] else { return nil }
        let names = Environment["LISTEN_FDNAMES"]
        guard let number = WireInteger(decimal: process)?.value(in: 1...Int(Int32.max)) else {
            throw malformed("LISTEN_PID=\(process)", "it is not a process identifier")
        }
        // The variables may belong to the parent of this process.
        guard number == Int(getpid()) else { return nil }
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) }
        return try sockets(count, names).map { InheritedSockets($0) }
    }

    /// The sockets that two variables describe. `nil` if there are none.
    static func sockets(_ count: String, _ names: String?) throws(SocketError) -> [Entry]? {
        guard let number = WireInteger(decimal: count)?.value(in: 0...limit) else {
            throw malformed("LISTEN_FDS=\(count)", "it is not a number from 0 to \(limit)")
        }
        if number == 0, names == nil || names == "" { return nil }
        var listed = [String](repeating: "unknown", count: number)
        if let names {
            listed = names.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard listed.count == number, listed.allSatisfy({ isName($0.utf8) }) else {
                throw malformed("LISTEN_FDNAMES=\(names)", "it must contain \(number) names, separated by colons")
            }
        }
        var entries: [Entry] = []
        for (offset, name) in listed.enumerated() {
            let descriptor = first + Int32(offset)
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
                throw SocketError(
                    .badDescriptor,
                    "cannot take descriptor \(descriptor) (\(name)) of the service manager: it is not an open socket"
                )
            }
            _ = fcntl(descriptor, F_SETFD, fcntl(descriptor, F_GETFD) | FD_CLOEXEC)
            entries.append(Entry(name: name, descriptor: descriptor))
        }
        return entries
    }

    private static func malformed(_ variable: String, _ reason: String) -> SocketError {
        SocketError(.malformed, "cannot take the sockets of the service manager: \(variable): \(reason)")
    }
}
