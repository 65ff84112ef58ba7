// SPDX-License-Identifier: MIT
import ReactiveSignals
import ReactiveSockets

/// Sockets that stay open until the check has ended and its loops are disposed, however long the check uses them.
///
/// A check that creates many of them, or that counts descriptors, creates and closes them itself.
extension Check {
    /// Creates a pair of connected sockets.
    func pair(file: StaticString = #fileID, line: Int = #line) -> SocketPair {
        let pair = SocketPair(file: file, line: line)
        afterLoops { pair.close() }
        return pair
    }

    /// Subscribes to the peers of a listener. A failure of the listener fails the check.
    func accept(
        from listener: Listener,
        in subscription: SignalSubscription = SignalSubscription(),
        _ onPeer: @escaping @Sendable (Connection) -> Void
    ) {
        listener.connections.subscribe(
            in: subscription,
            onValue: onPeer,
            onTermination: noFailure(of: "the listener")
        )
    }

    /// Echoes the bytes of each peer of a listener.
    func echo(from listener: Listener) {
        accept(from: listener) { connection in connection.send(from: connection.received) }
    }

    /// Creates an address that does not answer.
    func silentPeer() -> SilentPeer {
        let peer = SilentPeer()
        afterLoops { peer.close() }
        return peer
    }

    /// Creates a duplicate whose number is too high for `select`. The caller closes it. `nil` if the limit of descriptors
    /// does not permit such a number.
    func highCopy(of descriptor: Int32) -> Int32? {
        let copy = Descriptor.copy(of: descriptor, from: 1100)
        if copy >= 0 { return copy }
        note("does not check numbers above 1023, which the limit of descriptors does not permit")
        return nil
    }
}
