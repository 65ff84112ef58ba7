import Glibc
import ReactiveSupport

/// A socket that listens, and the file that a Unix socket has.
struct ListeningSocket {
    let socket: SystemSocket
    /// The file that has to go with it.
    private let file: SocketFile?

    /// One that is somebody else's making: its file is too.
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
            // The file first: a dead socket's file may be another server's as soon as the socket is closed.
            file?.remove()
            socket.close()
            throw SocketError.system(operation, code)
        }
        self.file = file
    }

    /// Closes it. The file goes first: a peer that finds it finds somebody who listens.
    func close() {
        file?.remove()
        socket.close()
    }
}
