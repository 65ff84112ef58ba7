import Glibc

/// Sockets that are about to connect.
enum ConnectingSocket {
    static func make(_ address: SocketAddress, _ settings: ConnectSettings) -> Result<SystemSocket, SocketError> {
        let operation = "cannot connect to \(address)"
        let socket: SystemSocket
        switch SystemSocket.make(.stream, address.family) {
        case .success(let made): socket = made
        case .failure(let error): return .failure(.system(operation, error.code))
        }
        let standard = address.family == .unix ? [] : [SocketOption.noDelay(true)]
        if let refusal = socket.set(standard + settings.options) {
            socket.close()
            return .failure(.system("\(operation) with option \(refusal.setting.name)", refusal.errno))
        }
        if let local = settings.localAddress {
            let code = socket.bind(local)
            if code != 0 {
                socket.close()
                return .failure(.system("\(operation) from \(local)", code))
            }
        }
        return .success(socket)
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
