import Glibc
import ReactiveCore

extension SocketError {
    /// What the system said to `operation`.
    static func system(_ operation: String, _ errno: Int32) -> SocketError {
        SocketError(code(errno), errno: errno, unsafe "\(operation): \(String(cString: strerror(errno)))")
    }

    static func loop(_ operation: String, _ error: LoopError) -> SocketError {
        SocketError(.loop, errno: error.errno, "\(operation): \(error)")
    }

    private static func code(_ errno: Int32) -> Code {
        switch errno {
        case EADDRINUSE: .addressInUse
        case EADDRNOTAVAIL: .addressNotAvailable
        case EACCES, EPERM: .permissionDenied
        case ECONNREFUSED: .refused
        case ECONNRESET, EPIPE, ENOTCONN: .reset
        case ETIMEDOUT: .timedOut
        case ENETUNREACH, EHOSTUNREACH, EHOSTDOWN, ENETDOWN: .unreachable
        case EMFILE, ENFILE: .outOfDescriptors
        case ENOENT, ENOTDIR: .noSuchPath
        case ENAMETOOLONG: .pathTooLong
        case EBADF, ENOTSOCK: .badDescriptor
        case EMSGSIZE: .messageTooLarge
        case ESRCH, ECHILD: .noSuchProcess
        default: .systemCall
        }
    }

    /// What an `accept` may say that concerns one peer, or passes: go on with the next.
    static func isPassing(_ errno: Int32) -> Bool {
        [ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, EPERM]
            .contains(errno)
    }

    /// What an `accept` says when there is nothing left to hold a connection: wait, and try again.
    static func isExhaustion(_ errno: Int32) -> Bool {
        // ENOSPC: the system's limit of watched descriptors.
        [EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC].contains(errno)
    }
}
