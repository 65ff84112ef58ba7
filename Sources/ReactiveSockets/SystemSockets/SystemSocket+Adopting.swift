// SPDX-License-Identifier: MIT
import Glibc

extension SystemSocket {
    /// Wraps a descriptor after checking its kind. Sets it to non-blocking and close-on-exec.
    ///
    /// - Throws: `badDescriptor` if it is closed, not a socket, or a socket of another kind. The descriptor is then
    ///   unchanged.
    static func adopting(
        _ descriptor: Int32,
        _ kind: Kind,
        listening: Bool = false
    ) throws(SocketError) -> SystemSocket {
        let socket = SystemSocket(descriptor: descriptor)
        let operation = "cannot adopt descriptor \(descriptor)"
        let type = try socket.value(SOL_SOCKET, SO_TYPE).mapError { SocketError.system(operation, $0.errno) }.get()
        let wanted = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
        let bound = socket.localAddress.map { " (\($0))" } ?? ""
        guard type == Int32(wanted.rawValue) else {
            throw SocketError(.badDescriptor, "\(operation)\(bound): it is not a \(kind) socket")
        }
        if case .success(let value) = socket.value(SOL_SOCKET, SO_ACCEPTCONN), (value != 0) != listening {
            let what = listening ? "does not listen: call listen(2) first" : "listens: pass it to a Listener"
            throw SocketError(.badDescriptor, "\(operation)\(bound): it \(what)")
        }
        if socket.simulated != nil { return socket }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, fcntl(descriptor, F_GETFD) | FD_CLOEXEC)
        return socket
    }
}
