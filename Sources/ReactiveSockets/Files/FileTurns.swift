// SPDX-License-Identifier: MIT
/// The numbers of bytes of files that connections have sent in the current turn.
///
/// The connections of a context share it. A backlog cannot contain its connection's number, because it is removed when
/// it is empty, and a connection may have several during one turn. Only the loop accesses it.
final class FileTurns {
    private var turn = UInt64.max
    private var counts: [ObjectIdentifier: Int] = [:]

    /// The number of bytes that a connection has sent in a turn. `turn` is the current one.
    func count(of connection: ConnectionCore, in turn: UInt64) -> Int {
        if turn != self.turn {
            self.turn = turn
            counts.removeAll(keepingCapacity: true)
        }
        // A new connection may have the identifier of one that was released in this turn. Then it waits for a turn.
        return counts[ObjectIdentifier(connection)] ?? 0
    }

    /// Adds bytes that a connection has sent in the turn of the last call of `count`.
    func add(_ count: Int, of connection: ConnectionCore) {
        counts[ObjectIdentifier(connection), default: 0] += count
    }
}
