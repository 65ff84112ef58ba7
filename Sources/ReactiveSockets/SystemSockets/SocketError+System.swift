// SPDX-License-Identifier: MIT
import Glibc
package import ReactiveCore
import ReactiveSupport

extension SocketError: LoopRefusal {
    /// The error for a system call that failed with `errno` during `operation`.
    package static func system(_ operation: String, _ errno: Int32) -> SocketError {
        SocketError(code(errno), errno: errno, unsafe "\(operation): \(String(cString: strerror(errno)))")
    }

    package static func loop(_ operation: String, _ error: LoopError) -> SocketError {
        SocketError(.loop, errno: error.errno, "\(operation): \(error)")
    }

    /// The error of a socket whose loop refuses all calls. If the loop could not be created, it has the code of the
    /// system's refusal, such as `outOfDescriptors`.
    package init(refusal: LoopError) {
        let code = refusal.code == .systemCall ? Self.code(refusal.errno) : .loop
        self.init(code, errno: refusal.errno, refusal.message, cause: refusal)
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

    /// Whether an error of `accept` concerns only one peer, or is transient (accept(2)). If so, the listener continues
    /// with the next peer.
    static func isPassing(_ errno: Int32) -> Bool {
        [ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, EPERM]
            .contains(errno)
    }

    /// Whether descriptors or kernel memory are exhausted. If so, the caller waits and tries again.
    package static func isExhaustion(_ errno: Int32) -> Bool {
        // ENOSPC means that the user has reached the limit of watched descriptors (epoll_ctl(2)).
        [EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC].contains(errno)
    }
}
