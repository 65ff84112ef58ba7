// SPDX-License-Identifier: MIT
import Glibc

/// A socket that is about to connect, and its file if it is a Unix socket that is bound to a path.
struct ConnectingSocket {
    let socket: SystemSocket
    /// The file to remove when the socket is closed.
    let file: SocketFile?

    init(to address: SocketAddress, _ settings: ConnectSettings) throws(SocketError) {
        let operation = "cannot connect to \(address)"
        let standard = address.family == .unix ? [] : [SocketOption.noDelay(true)]
        socket = try SystemSocket.open(.stream, address.family, standard + settings.options, for: operation)
        guard let local = settings.localAddress else {
            file = nil
            return
        }
        let (code, file) = SocketFile.bind(socket, to: local)
        if code != 0 {
            socket.close()
            throw SocketError.system("\(operation) from \(local)", code)
        }
        self.file = file
    }

    /// Closes the socket. The file is removed first: once the socket is closed, another server may replace the file.
    func close() {
        file?.remove()
        socket.close()
    }
}

extension ConnectionCore {
    /// Takes over the file of its socket, and removes it when the connection is closed.
    func own(_ file: SocketFile) {
        if isOpen { neededExtras.file = file } else { file.remove() }
    }
}

extension SocketError {
    /// The error number when connecting has begun.
    static var inProgress: Int32 { EINPROGRESS }
    /// The error number when the queue of a Unix socket is full.
    static var queueIsFull: Int32 { EAGAIN }
    static var refusal: Int32 { ECONNREFUSED }
    static var timeOut: Int32 { ETIMEDOUT }
}
