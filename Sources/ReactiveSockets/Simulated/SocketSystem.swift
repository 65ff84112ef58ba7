// SPDX-License-Identifier: MIT
package import ReactiveCore

/// The system calls of the sockets on one simulated host, in place of the kernel's (Decision 0041).
///
/// Each call has the semantics of the system call of the same name on a nonblocking descriptor. A call that returns a
/// count or a descriptor returns a negative error number on failure, as the kernel's entry points do. A call that
/// returns a code returns 0 or an error number. Any thread may call every member. No member calls user code.
package protocol SocketSystem: AnyObject, Sendable {
    /// Opens a socket (socket(2)). Returns its descriptor, which is at least ``SimulatedDescriptors/first``.
    func open(_ kind: SocketType, _ family: SocketAddress.Family) -> Int32
    func bind(_ descriptor: Int32, _ address: SocketAddress) -> Int32
    func connect(_ descriptor: Int32, _ address: SocketAddress) -> Int32
    func listen(_ descriptor: Int32, backlog: Int32) -> Int32
    /// Accepts one connection. The result is its descriptor, or a negative error number.
    func accept(_ descriptor: Int32) -> (result: Int32, peer: SocketAddress?)
    /// Receives bytes, or peeks at them. The result is a count, or a negative error number. 0 is the end of stream.
    func receive(_ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer, peeks: Bool) -> Int
    func send(_ descriptor: Int32, _ memory: UnsafeRawBufferPointer) -> Int
    /// Receives one datagram. The count is its full length, even if it exceeds the memory (`MSG_TRUNC`).
    func receiveDatagram(
        _ descriptor: Int32,
        _ memory: UnsafeMutableRawBufferPointer
    ) -> (result: Int, peer: SocketAddress?)
    /// Sends one datagram to `peer`, or to the connected peer if nil.
    func sendDatagram(_ descriptor: Int32, _ memory: UnsafeRawBufferPointer, to peer: SocketAddress?) -> Int
    /// Ends the sending direction: `shutdown(SHUT_WR)`.
    func shutdownWriting(_ descriptor: Int32) -> Int32
    func close(_ descriptor: Int32) -> Int32
    /// Sets `SO_LINGER` to a time of zero, so that a close resets the connection.
    func setZeroLinger(_ descriptor: Int32) -> Int32
    /// Sets an option whose value is an `int`.
    func setOption(_ descriptor: Int32, level: Int32, name: Int32, value: Int32) -> Int32
    /// Reads an option whose value is an `int`.
    func option(_ descriptor: Int32, level: Int32, name: Int32) -> (code: Int32, value: Int32)
    func localAddress(_ descriptor: Int32) -> SocketAddress?
    func remoteAddress(_ descriptor: Int32) -> SocketAddress?
    /// The number of readable bytes, or the length of the next datagram (`FIONREAD`).
    func readableCount(_ descriptor: Int32) -> Int
    /// The number of sent bytes that the peer has not acknowledged (`TIOCOUTQ`).
    func unsentCount(_ descriptor: Int32) -> Int
    /// Whether the peer has ended its stream or the connection has failed, even behind unread bytes (`POLLRDHUP`).
    func hasPeerEnded(_ descriptor: Int32) -> Bool
    /// The file at a path of the simulated file system, which contains only the files of Unix sockets.
    func file(at path: String) -> UInt64?
    func removeFile(at path: String)
    /// Removes the file of a dead Unix socket: one to which no socket is bound. It is one step, so of several servers
    /// only the first removes the file.
    func removeDeadFile(at path: String)
    /// Resolves a host name. Calls `answer` once, later, unless the result is disposed first.
    func resolve(
        _ host: String,
        port: UInt16,
        _ answer: @escaping @Sendable (Result<[SocketAddress], SocketError>) -> Void
    ) -> any Disposable
}

/// The two kinds of socket.
package enum SocketType: Sendable { case stream, datagram }
