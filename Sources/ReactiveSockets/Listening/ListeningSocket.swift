// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport

/// A listening socket, and its file if it is a Unix socket with a path.
struct ListeningSocket {
    let socket: SystemSocket
    /// The file to remove when the socket is closed.
    private let file: SocketFile?

    /// Takes over a listening socket. It does not own the file of that socket.
    init(socket: SystemSocket) {
        self.socket = socket
        file = nil
    }

    init(on address: SocketAddress, backlog: Int32, options: [SocketSetting]) throws(SocketError) {
        let operation = "cannot listen on \(address)"
        // Accepted connections inherit these options.
        var standard = [SocketOption.reuseAddress(true)]
        if address.family != .unix { standard.append(SocketOption.noDelay(true)) }
        socket = try SystemSocket.open(.stream, address.family, standard + options, for: operation)
        var (code, file) = SocketFile.bind(socket, to: address)
        if code == 0 { code = socket.listen(backlog) }
        guard code == 0 else {
            // The file is removed first: once the socket is closed, another server may replace the file.
            file?.remove()
            socket.close()
            throw SocketError.system(operation, code)
        }
        self.file = file
    }

    /// Closes the socket. The file is removed first, so a peer that finds the file finds a listening socket.
    func close() {
        file?.remove()
        socket.close()
    }
}
