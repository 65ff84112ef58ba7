import Glibc

/// A socket that is about to connect, and the file that a Unix socket has where it connects from a path.
struct ConnectingSocket {
    let socket: SystemSocket
    /// The file that has to go with it.
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

    /// Closes it. The file goes first: a dead socket's file may be another socket's as soon as it is closed.
    func close() {
        file?.remove()
        socket.close()
    }
}

extension ConnectionCore {
    /// Takes over the file that its socket was connected from.
    func own(_ file: SocketFile) {
        if isOpen { neededExtras.file = file } else { file.remove() }
    }
}

extension SocketError {
    /// What the system says when it has begun to connect.
    static var inProgress: Int32 { EINPROGRESS }
    /// What it says when a Unix socket's queue is full.
    static var queueIsFull: Int32 { EAGAIN }
    static var refusal: Int32 { ECONNREFUSED }
    static var timeOut: Int32 { ETIMEDOUT }
}
