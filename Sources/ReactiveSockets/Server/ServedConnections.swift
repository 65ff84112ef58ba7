// SPDX-License-Identifier: MIT
import ReactiveCore

/// The connections that a server serves. Each has a slot, so that a lookup needs no search.
struct ServedConnections {
    typealias Entry = (connection: Connection, slot: Int32)

    private enum Phase {
        /// The loop of the connection has not begun to serve it. A loop that is disposed never does.
        case assigned
        case serving
        case ending
    }

    private var slots: [Connection?] = []
    private var phases: [Phase] = []
    /// When each connection was added, on the clock of its loop.
    private var begins: [LoopInstant] = []
    private var free: [Int32] = []

    var count: Int { slots.count - free.count }

    var isEmpty: Bool { count == 0 }

    var all: [Entry] { slots.enumerated().compactMap { slot, connection in connection.map { ($0, Int32(slot)) } } }

    /// The connection in a slot, or nil.
    subscript(slot: Int32) -> Connection? { slots[Int(slot)] }

    /// The connections of one loop.
    func all(on loop: any LoopScheduler) -> [Entry] { all.filter { entry in entry.connection.loop === loop } }

    /// When the connection in a slot was added.
    func begin(in slot: Int32) -> LoopInstant { begins[Int(slot)] }

    /// Adds a connection. It keeps its slot until it is removed.
    mutating func add(_ connection: Connection, at now: LoopInstant) -> Entry {
        if let slot = free.popLast() {
            slots[Int(slot)] = connection
            phases[Int(slot)] = .assigned
            begins[Int(slot)] = now
            return (connection, slot)
        }
        slots.append(connection)
        phases.append(.assigned)
        begins.append(now)
        return (connection, Int32(slots.count - 1))
    }

    /// Records that the loop begins to serve the connection.
    mutating func serve(_ entry: Entry) { phases[Int(entry.slot)] = .serving }

    /// Records that the connection ends. Returns whether it has been served, or nil if another caller ends it. Its slot
    /// may then contain another connection.
    mutating func end(_ entry: Entry) -> Bool? {
        guard self[entry.slot] === entry.connection else { return nil }
        let phase = phases[Int(entry.slot)]
        if phase == .ending { return nil }
        phases[Int(entry.slot)] = .ending
        return phase == .serving
    }

    /// Removes a connection after its end.
    mutating func remove(_ entry: Entry) {
        slots[Int(entry.slot)] = nil
        free.append(entry.slot)
    }
}
