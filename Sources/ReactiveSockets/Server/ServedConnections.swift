// SPDX-License-Identifier: MIT
import ReactiveCore

/// The connections that a server serves. Each has a slot, so that a lookup needs no search.
struct ServedConnections {
    typealias Entry = (connection: Connection, slot: Int32)

    private var slots: [Connection?] = []
    /// When each connection was added, on the clock of its loop.
    private var begins: [LoopInstant] = []
    private var free: [Int32] = []

    var count: Int { slots.count - free.count }

    var isEmpty: Bool { count == 0 }

    var all: [Entry] { slots.enumerated().compactMap { slot, connection in connection.map { ($0, Int32(slot)) } } }

    /// The connection in a slot, or nil.
    subscript(slot: Int32) -> Connection? { slots[Int(slot)] }

    /// When the connection in a slot was added.
    func begin(in slot: Int32) -> LoopInstant { begins[Int(slot)] }

    /// Adds a connection. It keeps its slot until it is removed.
    mutating func add(_ connection: Connection, at now: LoopInstant) -> Entry {
        if let slot = free.popLast() {
            slots[Int(slot)] = connection
            begins[Int(slot)] = now
            return (connection, slot)
        }
        slots.append(connection)
        begins.append(now)
        return (connection, Int32(slots.count - 1))
    }

    /// Removes a connection. Returns false if it was removed before. Its slot may then contain another connection.
    mutating func remove(_ entry: Entry) -> Bool {
        guard self[entry.slot] === entry.connection else { return false }
        slots[Int(entry.slot)] = nil
        free.append(entry.slot)
        return true
    }
}
