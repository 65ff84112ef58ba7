// SPDX-License-Identifier: MIT
extension InheritedSockets {
    /// Asks the process that this one replaces for its sockets.
    ///
    /// The old process has a ``Handover`` at the address. It continues to serve until ``acknowledge(within:)``, and also
    /// if this process ends, or releases the result, before. The call blocks, so make it before the loops run.
    ///
    /// - Parameters:
    ///   - address: The address of the old process's ``Handover``.
    ///   - limit: The time limit.
    /// - Returns: The sockets, with the names that the old process has given them. `nil` if no process listens at the
    ///   address, so that this is the first one.
    /// - Throws: `permissionDenied` if the old process belongs to another user. `reset` if it refuses, for example
    ///   because another process takes over. `outOfDescriptors` if this process cannot have as many descriptors.
    ///   `badDescriptor` if it passes a descriptor that is neither a listening nor a datagram socket. `malformed` if it
    ///   sends invalid messages. `timedOut` after the limit. Otherwise the system's error.
    public static func handedOver(
        at address: SocketAddress,
        within limit: Duration = .seconds(10)
    ) throws(SocketError) -> InheritedSockets? {
        guard let (predecessor, entries) = try Predecessor.ask(at: address, within: limit) else { return nil }
        return InheritedSockets(entries, from: predecessor)
    }

    /// Tells the old process that this one serves. The old process then accepts no more peers.
    ///
    /// Call it once, when the servers with the sockets have been created. The call blocks. It does nothing if the sockets
    /// are not from another process.
    ///
    /// - Parameter limit: The time limit.
    /// - Throws: `reset` if the old process has ended or has given up waiting, and `timedOut` after the limit. The old
    ///   process may then continue to serve, so this one should end. Otherwise the system's error.
    public func acknowledge(within limit: Duration = .seconds(10)) throws(SocketError) {
        try predecessor?.acknowledge(within: limit)
    }
}
