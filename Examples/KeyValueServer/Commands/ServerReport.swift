// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// The reply to `INFO`.
struct ServerReport {
    private let service: Service

    /// The reported version of Redis. Clients derive the available commands from it. The commands of this server behave
    /// as in that version.
    static let version: Bytes = "7.0.15"

    init(_ service: Service) {
        self.service = service
    }

    /// The text of the named sections. Returns all sections for an empty set, `all`, `default` or `everything`.
    func text(_ names: Set<String>) -> String {
        let isAll = names.isEmpty || !names.isDisjoint(with: ["all", "default", "everything"])
        let chosen = sections.filter { isAll || names.contains($0.name.lowercased()) }
        return chosen.map { section in
            "# \(section.name)\r\n" + section.lines.map { "\($0.0):\($0.1)\r\n" }.joined()
        }.joined(separator: "\r\n")
    }

    private var sections: [(name: String, lines: [(String, String)])] {
        let (store, pubsub) = (service.store, service.channels.counts)
        let uptime = (service.home.now - service.began).components.seconds
        var keyspace: [(String, String)] = []
        if store.count > 0 { keyspace = [("db0", "keys=\(store.count),expires=\(store.expiringCount),avg_ttl=0")] }
        return [
            (
                "Server",
                [
                    ("redis_version", "\(Self.version)"), ("redis_mode", "standalone"), ("arch_bits", "64"),
                    ("multiplexing_api", service.home.name), ("process_id", "\(getpid())"),
                    ("uptime_in_seconds", "\(uptime)"),
                ]
            ),
            ("Clients", [("connected_clients", "\(service.clients.count)")]),
            (
                "Stats",
                [
                    ("total_connections_received", "\(service.clients.total)"),
                    ("total_commands_processed", "\(service.executed.load(ordering: .relaxed))"),
                    ("pubsub_channels", "\(pubsub.channels)"), ("pubsub_patterns", "\(pubsub.patterns)"),
                ]
            ),
            ("Replication", [("role", "master"), ("connected_slaves", "0")]),
            ("Keyspace", keyspace),
        ]
    }
}
