// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport

/// A listening socket, and its file if it is a Unix socket with a path.
struct ListeningSocket {
    let socket: SystemSocket
    /// The file to remove when the socket is closed.
    private let file: SocketFile?

    /// Wraps an adopted socket. Closing it does not remove its file.
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
            // The file is removed first, because another server may replace it as soon as the socket is closed.
            file?.remove()
            socket.close()
            throw SocketError.system(operation, code)
        }
        self.file = file
    }

    /// Checks that no other socket listens on an address. The check only binds. If it listened, closing it would reset
    /// clients that connect at that time.
    ///
    /// - Throws: The errors of ``Listener``.
    static func requireFree(_ address: SocketAddress) throws(SocketError) {
        let operation = "cannot listen on \(address)"
        let socket = try SystemSocket.open(.stream, address.family, [SocketOption.reuseAddress(true)], for: operation)
        let code = socket.bind(address)
        socket.close()
        if code != 0 { throw SocketError.system(operation, code) }
    }

    /// Removes the file, then closes the socket. So a peer that finds the file also finds a listening socket.
    ///
    /// - Parameter removesFile: Whether the file belongs to this process.
    func close(removesFile: Bool) {
        if removesFile { removeFile() }
        socket.close()
    }

    func removeFile() { file?.remove() }
}
