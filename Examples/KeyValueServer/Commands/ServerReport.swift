import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// What `INFO` says.
struct ServerReport {
    private let service: Service

    /// Clients ask for it to know which commands there are: those here behave as that version's.
    static let version: Bytes = "7.0.15"

    init(_ service: Service) {
        self.service = service
    }

    /// The sections named; all, where none is, or `all`, `default` or `everything`.
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
