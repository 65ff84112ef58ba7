// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport

/// Keeps a thread from duplicating a descriptor that the loop has closed. The number could already belong to another file.
struct DescriptorLock: ~Copyable, Sendable {
    // Not private: Swift 6.3.1 then crashes when it compiles a file that stores a `DescriptorLock`.
    enum State {
        case open
        /// Open, and the next process has a duplicate. It has not acknowledged yet, so this process may keep the file of
        /// the Unix socket.
        case offered
        /// Open, and the file now belongs to the next process.
        case openWithoutFile
        /// Closed after the offer. The file exists, because the next process perhaps acknowledges.
        case closedOffered
        case closed
    }

    private let state = Lock(State.open)

    /// Calls `close`, which makes only system calls, unless the descriptor has been closed.
    func close(_ close: (_ removesFile: Bool) -> Void) {
        state.withLock { state in
            switch state {
            case .open: close(true)
            case .offered, .openWithoutFile: close(false)
            case .closedOffered, .closed: return
            }
            if case .offered = state { state = .closedOffered } else { state = .closed }
        }
    }

    /// Leaves the file of a Unix socket when the descriptor is closed, until the offer ends.
    func offer() {
        state.withLock { state in
            if case .open = state { state = .offered }
        }
    }

    /// Ends an offer that the next process has not acknowledged. If the descriptor has been closed since the offer, calls
    /// `removeFile`, which makes only system calls.
    func withdraw(_ removeFile: () -> Void) {
        state.withLock { state in
            switch state {
            case .offered: state = .open
            case .closedOffered:
                removeFile()
                state = .closed
            case .open, .openWithoutFile, .closed: break
            }
        }
    }

    /// Leaves the file of a Unix socket to the next process.
    func keepFile() {
        state.withLock { state in
            switch state {
            case .open, .offered: state = .openWithoutFile
            case .closedOffered: state = .closed
            case .openWithoutFile, .closed: break
            }
        }
    }

    /// A close-on-exec duplicate, which the caller closes. Any thread may call it.
    ///
    /// - Throws: `closed`, or the error of fcntl(2).
    func duplicate(_ descriptor: Int32) throws(SocketError) -> Int32 {
        let result = state.withLock { state -> Int32? in
            switch state {
            case .closed, .closedOffered: return nil
            case .open, .offered, .openWithoutFile: break
            }
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            return copy < 0 ? -errno : copy
        }
        guard let result else { throw SocketError(.closed, "cannot pass a socket on: it has been closed") }
        if result < 0 { throw SocketError.system("cannot duplicate descriptor \(descriptor)", -result) }
        return result
    }
}
