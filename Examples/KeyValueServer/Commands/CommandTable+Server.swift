// SPDX-License-Identifier: MIT
import ReactiveSockets

extension CommandTable {
    /// Adds the commands for the server.
    mutating func addServer(_ store: Store) {
        add("info", -1, []) { request in
            let sections = request.words(from: 1).map { String($0).lowercased() }
            return .bulk(Bytes(ServerReport(request.client.service).text(Set(sections))))
        }
        let subcommands = ["count": 2, "list": -2, "info": -2, "docs": -2]
        add("command", -1, [], subcommands: subcommands) { (request) throws(CommandFailure) in
            try Self.describe(request, request.client.service.commands.list)
        }
        add("config", -2, .unseen, subcommands: ["get": -3]) { request in
            let globs = request.words(from: 2).map { Glob($0) }
            let found = Self.settings.filter { setting in globs.contains { $0.matches(setting.name) } }
            return .array(found.flatMap { [.bulk($0.name), .bulk($0.value)] })
        }
        add("monitor", 1, .unseen) { request in
            // A second MONITOR has no reply, as in Redis.
            if request.client.isMonitor { return .each([]) }
            request.client.monitor(request.client.service.monitors)
            return .ok
        }
        // SHUTDOWN has no reply: it ends the connection.
        add("shutdown", -1, .unseen) { (request) throws(CommandFailure) in
            let known = ["save", "nosave", "now", "force"].map { CommandName(Bytes($0)) }
            for index in 1..<request.count where !known.contains(request.option(index)) { throw .syntax }
            request.client.service.close()
            return .each([])
        }
    }

    /// The settings that benchmarks and clients request. They never change.
    private static let settings: [(name: Bytes, value: Bytes)] = [
        ("save", ""), ("appendonly", "no"), ("databases", "1"), ("maxmemory", "0"), ("timeout", "0"),
    ]

    private static func describe(_ request: Request, _ commands: [ServerCommand]) throws(CommandFailure) -> Reply {
        guard request.count > 1 else { return .array(commands.map(\.description)) }
        switch String(request[1]).lowercased() {
        case "list" where request.count > 2: throw .syntax
        case "count": return .integer(commands.count)
        case "list": return .array(commands.map { .bulk(Bytes($0.name)) })
        case "info":
            let table = request.client.service.commands
            return .array(request.words(from: 2).map { table[CommandName($0)]?.description ?? .null })
        // COMMAND DOCS. This server has no such texts, and clients work without them.
        default: return .array([])
        }
    }
}

extension ServerCommand {
    fileprivate var description: Reply {
        let keys: [Reply] =
            traits.contains(.keys) && arity != 1 ? [1, 1, 1].map(Reply.integer) : [0, 0, 0].map(Reply.integer)
        return .array([.bulk(Bytes(name)), .integer(arity), .array([])] + keys)
    }
}
