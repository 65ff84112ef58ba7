// SPDX-License-Identifier: MIT
extension Server: CustomStringConvertible {
    /// The server in one line: `Server (127.0.0.1:7000, serving, 3 connections)`.
    ///
    /// Any thread may read it, even after the server has stopped.
    public var description: String {
        let (state, count) = core.present
        return "Server (\(localAddress), \(state), \(count) \(count == 1 ? "connection" : "connections"))"
    }
}
