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
        let socket = try make(kind, family).mapError { SocketError.system(operation, $0.errno) }.get()
        for option in options {
            let code = socket.set(option.level, option.name, option.value)
            if code == 0 { continue }
            socket.close()
            throw SocketError.system("\(operation): cannot set option \(option.name)", code)
        }
        return socket
    }
}
