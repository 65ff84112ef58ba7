// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport

/// Keeps a thread from duplicating a descriptor that the loop has closed. The number could already belong to another file.
struct DescriptorLock: ~Copyable, Sendable {
    // Not private: Swift 6.3.1 then crashes when it compiles a file that stores a `DescriptorLock`.
    enum State {
        case open
        /// Open, and the file of the Unix socket now belongs to the next process.
        case openWithoutFile
        case closed
    }

    private let state = Lock(State.open)

    /// Calls `close`, which makes only system calls, unless the descriptor has been closed.
    func close(_ close: (_ removesFile: Bool) -> Void) {
        state.withLock { state in
            switch state {
            case .open: close(true)
            case .openWithoutFile: close(false)
            case .closed: return
            }
            state = .closed
        }
    }

    /// Leaves the file of a Unix socket when the descriptor is closed.
    func keepFile() {
        state.withLock { state in
            if case .open = state { state = .openWithoutFile }
        }
    }

    /// A close-on-exec duplicate, which the caller closes. Any thread may call it.
    ///
    /// - Throws: `closed`, or the error of fcntl(2).
    func duplicate(_ descriptor: Int32) throws(SocketError) -> Int32 {
        let result = state.withLock { state -> Int32? in
            if case .closed = state { return nil }
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            return copy < 0 ? -errno : copy
        }
        guard let result else { throw SocketError(.closed, "cannot pass a socket on: it has been closed") }
        if result < 0 { throw SocketError.system("cannot duplicate descriptor \(descriptor)", -result) }
        return result
    }
}
