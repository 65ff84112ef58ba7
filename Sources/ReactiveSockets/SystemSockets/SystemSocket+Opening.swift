// SPDX-License-Identifier: MIT
extension SystemSocket {
    /// Opens a socket and sets its options.
    ///
    /// - Throws: The system's error. The message begins with `operation` and names the option that the system refused.
    static func open(
        _ kind: Kind,
        _ family: SocketAddress.Family,
        _ options: [SocketSetting],
        for operation: String
    ) throws(SocketError) -> SystemSocket {
        let socket: SystemSocket
        switch make(kind, family) {
        case .success(let made): socket = made
        case .failure(let error): throw SocketError.system(operation, error.code)
        }
        if let refusal = socket.set(options) {
            socket.close()
            throw SocketError.system("\(operation): cannot set option \(refusal.setting.name)", refusal.errno)
        }
        return socket
    }
}
