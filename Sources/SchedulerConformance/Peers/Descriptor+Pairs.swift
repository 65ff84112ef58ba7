// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveSockets

// Safe: the arrays have room for two descriptors, and the calls keep no pointer.
extension Descriptor {
    /// Creates a nonblocking pipe. Returns its reading and its writing end.
    package static func pipe() -> (reading: Int32, writing: Int32) {
        if let machine = Platform.simulated { return machine.openPipe() }
        var ends: [Int32] = [-1, -1]
        if unsafe Glibc.pipe(&ends) != 0 { fatalError("pipe: \(errno)") }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        return (ends[0], ends[1])
    }

    /// Creates a nonblocking terminal, and a descriptor that writes its input. `nil` if the system has none.
    static func terminal() -> (near: Int32, far: Int32)? {
        if Platform.simulated != nil { return nil }
        var ends: (near: Int32, far: Int32) = (-1, -1)
        return unsafe reactive_open_terminal(&ends.near, &ends.far) ? ends : nil
    }

    /// Creates two connected nonblocking sockets. The caller closes them.
    package static func sockets(_ kind: SocketKind = .stream) -> (near: Int32, far: Int32) {
        if let machine = Platform.simulated { return machine.openPair(kind == .datagram ? .datagram : .stream) }
        var ends: [Int32] = [-1, -1]
        let type = kind.number | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        if unsafe socketpair(AF_UNIX, type, 0, &ends) != 0 { fatalError("socketpair: \(errno)") }
        return (ends[0], ends[1])
    }

    /// Creates a pair of sockets, and gives one of them the descriptor `number`, which is closed first. Returns the
    /// other socket.
    static func socket(at number: Int32) -> Int32 {
        let (near, far) = sockets()
        copy(near, onto: number)
        if !isOpen(number) { fatalError("dup2: \(errno)") }
        close(near)
        return far
    }
}
