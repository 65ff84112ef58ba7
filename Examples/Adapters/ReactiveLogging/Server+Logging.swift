public import Logging
import ReactiveCore
public import ReactiveSignals
public import ReactiveSockets

extension Server {
    /// Logs what happens to the server from now on, until it has stopped or the result is disposed; letting go of that does not
    /// end it.
    ///
    /// Connections that begin and end are logged at `level`, also those that broke off: that is the peers' matter. A peer that
    /// was refused is a notice, a listening socket that failed an error. Each message carries the peer, and an end the bytes and
    /// seconds, as metadata. The logger is called on the loop of the connection: one that blocks holds up the loop.
    @discardableResult
    public func log(to logger: Logger, at level: Logger.Level = .info) -> SignalSubscription {
        events.subscribe(onValue: { event in
            switch event {
            case .accepted(let connection):
                logger.log(level: level, "connection begins", metadata: peer(connection))
            case .refused(let connection):
                logger.notice("connection refused: too many from its address", metadata: peer(connection))
            case .ended(let connection, let summary):
                var metadata = peer(connection)
                metadata["received"] = "\(summary.received)"
                metadata["sent"] = "\(summary.sent)"
                metadata["seconds"] = "\(seconds(summary.duration))"
                let end = summary.failure.map { "broke off: \($0)" } ?? "ended"
                logger.log(level: level, "connection \(end)", metadata: metadata)
            case .failed(let error):
                logger.error("listening failed: \(error)")
            }
        })
    }
}

private func peer(_ connection: Connection) -> Logger.Metadata {
    ["peer": "\(connection.remoteAddress.map(\.description) ?? "unknown")"]
}

/// In whole milliseconds, written as seconds.
private func seconds(_ duration: Duration) -> Double {
    Double((duration / .milliseconds(1)).rounded()) / 1000
}
