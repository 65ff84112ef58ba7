// SPDX-License-Identifier: MIT
import Glibc

/// The descriptor of a datagram socket, and the file of a Unix socket.
struct DatagramDescriptor {
    let socket: SystemSocket
    /// The file to remove when the socket is closed.
    private let file: SocketFile?

    /// Wraps an adopted socket. Closing it does not remove its file.
    init(socket: SystemSocket) {
        self.socket = socket
        file = nil
    }

    init(on address: SocketAddress, options: [SocketSetting]) throws(SocketError) {
        try self.init("cannot open a socket at \(address)", address.family, options, at: address, to: nil)
    }

    init(to peer: SocketAddress, from local: SocketAddress?, options: [SocketSetting]) throws(SocketError) {
        let place = local.map { " from \($0)" } ?? ""
        try self.init("cannot open a socket to \(peer)\(place)", peer.family, options, at: local, to: peer)
    }

    private init(
        _ operation: String,
        _ family: SocketAddress.Family,
        _ options: [SocketSetting],
        at local: SocketAddress?,
        to peer: SocketAddress?
    ) throws(SocketError) {
        socket = try SystemSocket.open(.datagram, family, options, for: operation)
        var code: Int32 = 0
        var file: SocketFile?
        if let local { (code, file) = SocketFile.bind(socket, to: local) }
        if code == 0, let peer { code = socket.connect(peer) }
        guard code == 0 else {
            file?.remove()
            socket.close()
            throw SocketError.system(operation, code)
        }
        self.file = file
    }

    /// Removes the file, then closes the socket. So a peer that finds the file also finds an open socket.
    ///
    /// - Parameter removesFile: Whether the file belongs to this process.
    func close(removesFile: Bool) {
        if removesFile { removeFile() }
        socket.close()
    }

    func removeFile() { file?.remove() }
}
