import Logging
import ReactiveSignals
import ReactiveSockets

/// Says on standard error when a connection begins and how it ends.
enum ConnectionLog {
    static func follow(_ server: Server) {
        let logger = Logger(label: "echo") { StreamLogHandler.standardError(label: $0) }
        server.events.subscribe(onValue: { event in
            switch event {
            case .accepted(let connection): logger.info("connection from \(peer(connection))")
            case .refused(let connection): logger.notice("too many connections from \(peer(connection))")
            case .ended(let connection, let summary):
                let end = summary.failure.map { "broke off: \($0)" } ?? "ended"
                logger.info("connection from \(peer(connection)) \(end), \(summary.sent) bytes in \(summary.duration)")
            case .failed(let error): logger.error("\(error)")
            }
        })
    }

    private static func peer(_ connection: Connection) -> String {
        connection.remoteAddress.map(\.description) ?? "unknown"
    }
}
