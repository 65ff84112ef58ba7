// SPDX-License-Identifier: MIT
import Glibc

/// A socket that connects, and the file of a Unix socket that is bound to a path.
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

    /// Removes the file, then closes the socket. In the other order, another server could replace the file in between.
    func close() {
        file?.remove()
        socket.close()
    }
}

extension ConnectionCore {
    /// Makes the connection the owner of its socket's file. Closing the connection removes the file.
    func own(_ file: SocketFile) {
        if isOpen { ensureExtras().file = file } else { file.remove() }
    }
}
