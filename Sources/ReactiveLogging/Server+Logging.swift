#if Logging
    public import Logging
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets

    extension Server {
        /// Logs the server's events until the server has stopped or the result is disposed.
        ///
        /// Releasing the result does not end the logging. Every message of a connection carries its peer as metadata. The last one also
        /// carries the bytes and the seconds.
        ///
        /// | Event | Level |
        /// |---|---|
        /// | A connection begins, ends or fails | `level` |
        /// | A connection is refused | `notice` |
        /// | A listening socket fails | `error` |
        ///
        /// The logger is called on the connection's loop: a log handler that blocks delays that loop.
        ///
        /// - Parameters:
        ///   - logger: Receives the messages.
        ///   - level: The level for connections. Failed connections have it too, because peers cause them.
        /// - Returns: The subscription that ends the logging when it is disposed.
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
#endif
