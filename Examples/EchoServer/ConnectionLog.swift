import Logging
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// Says when a connection begins and how it ends, and counts them.
final class ConnectionLog: Sendable {
    private struct Counts {
        var accepted = 0
        var broken = 0
    }

    private let counts = Mutex(Counts())
    private let logger: Logger

    init(isQuiet: Bool) {
        var logger = Logger(label: "echo") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = isQuiet ? .error : .info
        self.logger = logger
    }

    /// Follows a connection until what it sends has ended.
    func follow(_ connection: Connection, _ sending: Signal<Never, SocketError>) {
        let peer = connection.remoteAddress.map(\.description) ?? "unknown"
        let number = counts.withLock { counts in
            counts.accepted += 1
            return counts.accepted
        }
        logger.info("connection \(number) from \(peer)")
        sending.subscribe(onTermination: { [self] termination in
            switch termination {
            case .completed: logger.info("connection \(number) ended")
            case .failed(let error):
                counts.withLock { counts in counts.broken += 1 }
                logger.info("connection \(number) broke off: \(error)")
            }
        })
    }

    /// One line on what has been served.
    var totals: String {
        let counts = counts.withLock { counts in counts }
        return "served \(counts.accepted) connections, \(counts.broken) of them broke off"
    }
}
