// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport

/// A listening or datagram socket, and its file if it is a Unix socket with a path.
///
/// A lock keeps a thread from duplicating a descriptor that the loop has closed. The number could already belong to
/// another file.
final class BoundSocket: Sendable {
    private enum State {
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

    let socket: SystemSocket
    /// The local address.
    let address: SocketAddress
    /// The file to remove when the socket is closed.
    private let file: SocketFile?
    private let state = Lock(State.open)

    /// Wraps an adopted socket. Closing it does not remove its file.
    init(_ socket: SystemSocket) {
        self.socket = socket
        address = socket.localAddress ?? SocketAddress(family: .unix, bytes: [])
        file = nil
    }

    /// Opens a socket, binds it, and calls `prepare`, which returns 0 or an errno.
    init(
        _ kind: SystemSocket.Kind,
        _ family: SocketAddress.Family,
        _ options: [SocketSetting],
        at local: SocketAddress?,
        for operation: String,
        _ prepare: (SystemSocket) -> Int32
    ) throws(SocketError) {
        socket = try SystemSocket.open(kind, family, options, for: operation)
        var code: Int32 = 0
        var file: SocketFile?
        if let local { (code, file) = SocketFile.bind(socket, to: local) }
        if code == 0 { code = prepare(socket) }
        guard code == 0 else {
            // The file is removed first, because another server may replace it as soon as the socket is closed.
            file?.remove()
            socket.close()
            throw SocketError.system(operation, code)
        }
        address = socket.localAddress ?? local ?? SocketAddress(family: .unix, bytes: [])
        self.file = file
    }

    /// Removes the file if it belongs to this process, then closes the socket. So a peer that finds the file also finds an
    /// open socket. Further calls do nothing.
    func close() {
        state.withLock { state in
            switch state {
            case .open:
                file?.remove()
                state = .closed
            case .offered: state = .closedOffered
            case .openWithoutFile: state = .closed
            case .closedOffered, .closed: return
            }
            socket.close()
        }
    }

    // MARK: The next process

    /// Leaves the file of a Unix socket when the socket is closed, until the offer ends. Any thread may call it.
    func offer() {
        state.withLock { state in
            if case .open = state { state = .offered }
        }
    }

    /// Ends an offer that the next process has not acknowledged. If the socket has been closed since the offer, removes its
    /// file. Any thread may call it.
    func withdraw() {
        state.withLock { state in
            switch state {
            case .offered: state = .open
            case .closedOffered:
                file?.remove()
                state = .closed
            case .open, .openWithoutFile, .closed: break
            }
        }
    }

    /// Leaves the file of a Unix socket to the next process. Any thread may call it.
    func release() {
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
    func duplicate() throws(SocketError) -> Int32 {
        let result = state.withLock { state -> Int32? in
            switch state {
            case .closed, .closedOffered: return nil
            case .open, .offered, .openWithoutFile: break
            }
            let copy = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 3)
            return copy < 0 ? -errno : copy
        }
        guard let result else { throw SocketError(.closed, "cannot pass a socket on: it has been closed") }
        if result < 0 { throw SocketError.system("cannot duplicate descriptor \(socket.descriptor)", -result) }
        return result
    }
}
