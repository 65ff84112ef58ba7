// SPDX-License-Identifier: MIT
#if Logging
    public import Logging
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets

    extension Server {
        /// Logs the server's events until the server has stopped or the result is disposed.
        ///
        /// Releasing the result does not end the logging. The events are:
        ///
        /// | Event | Level | Message | Metadata |
        /// |---|---|---|---|
        /// | A connection is accepted | `level` | `connection opened` | `peer` |
        /// | A connection ends | `level` | `connection closed` | `peer`, `received`, `sent`, `seconds` |
        /// | A connection fails | `level` | `connection failed` | the same as for the end, and `error` |
        /// | A connection is refused | `notice` | `connection refused: too many from its address` | `peer` |
        /// | A peer is rejected because of the PROXY protocol | `notice` | `connection rejected` | `peer`, `error` |
        /// | A listening socket fails | `error` | `listening failed` | `error` |
        ///
        /// `received` and `sent` count bytes.
        ///
        /// The logger is called on the server's loops, so a log handler that blocks delays a loop.
        ///
        /// - Parameters:
        ///   - logger: Receives the messages.
        ///   - level: The level for connections. It applies to failed connections too, because peers cause these
        ///     failures.
        /// - Returns: The subscription that ends the logging when it is disposed.
        @discardableResult
        public func log(to logger: Logger, at level: Logger.Level = .info) -> SignalSubscription {
            events.subscribe(onValue: { event in
                switch event {
                case .accepted(let connection):
                    logger.log(level: level, "connection opened", metadata: peer(connection))
                case .refused(let connection):
                    logger.notice("connection refused: too many from its address", metadata: peer(connection))
                case .rejected(let rejected):
                    let peer = rejected.address.map(\.description) ?? "unknown"
                    logger.notice("connection rejected", metadata: ["peer": "\(peer)", "error": "\(rejected.error)"])
                case .ended(let connection, let summary):
                    var metadata = peer(connection)
                    metadata["received"] = "\(summary.received)"
                    metadata["sent"] = "\(summary.sent)"
                    metadata["seconds"] = "\(seconds(summary.duration))"
                    if let failure = summary.failure { metadata["error"] = "\(failure)" }
                    let end = summary.failure == nil ? "closed" : "failed"
                    logger.log(level: level, "connection \(end)", metadata: metadata)
                case .failed(let error):
                    logger.error("listening failed", metadata: ["error": "\(error)"])
                }
            })
        }
    }

    private func peer(_ connection: Connection) -> Logger.Metadata {
        ["peer": "\(connection.remoteAddress.map(\.description) ?? "unknown")"]
    }

    /// The duration in seconds, rounded to milliseconds.
    private func seconds(_ duration: Duration) -> Double {
        Double((duration / .milliseconds(1)).rounded()) / 1000
    }
#else
    public import ReactiveSignals
    public import ReactiveSockets

    extension Server {
        /// Logs the server's events. It exists only in a build with the trait `Logging`. Without the trait a call is a
        /// compile-time error.
        @available(
            *,
            unavailable,
            message: "Server.log(to:at:) needs the trait Logging: .package(url: …, from: …, traits: [\"Logging\"])"
        )
        @discardableResult
        public func log(to logger: Any, at level: UnavailableLevel = .info) -> SignalSubscription {
            SignalSubscription()
        }

        /// Logs the server's events. It exists only in a build with the trait `Logging`. Without the trait a call is a
        /// compile-time error.
        @available(
            *,
            unavailable,
            message: "Server.log(to:at:) needs the trait Logging: .package(url: …, from: …, traits: [\"Logging\"])"
        )
        @discardableResult
        public func log(to logger: Any, at level: Any) -> SignalSubscription { SignalSubscription() }
    }

    /// The names of swift-log's levels. The compiler needs them to report a call with a level as unavailable.
    @available(*, unavailable, message: "use Logger.Level of swift-log")
    public enum UnavailableLevel: Sendable {
        /// A level of swift-log.
        case trace, debug, info, notice, warning, error, critical
    }
#endif
