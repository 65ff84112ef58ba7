// SPDX-License-Identifier: MIT

/// Listening sockets.
extension BoundSocket {
    convenience init(on address: SocketAddress, backlog: Int32, options: [SocketSetting]) throws(SocketError) {
        // Accepted connections inherit these options.
        var standard = [SocketOption.reuseAddress(true)]
        if address.family != .unix { standard.append(SocketOption.noDelay(true)) }
        let (all, operation) = (standard + options, "cannot listen on \(address)")
        try self.init(.stream, address.family, all, at: address, for: operation) { $0.listen(backlog) }
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
}
