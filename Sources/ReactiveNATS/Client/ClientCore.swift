// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The state of a client. Every member except `deinit` is called on the loop, unless stated otherwise.
    final class ClientCore {
        let loop: any LoopScheduler
        let servers: [String]
        var options: NATSOptions
        let resolver: Resolver
        let state = Property(NATSState.connecting)
        let events = Subject<NATSEvent, Never>(whilePaused: .dropOldest(1024))
        let statistics = Lock(NATSStatistics())

        // The connection
        var connection: NATSConnection?
        var addresses: [ServerAddress] = []
        /// The servers that the attempt under way has not tried, the number of those that rejected the client, and the error
        /// that the attempt fails with if none accepts it.
        var untried: (servers: ArraySlice<ServerAddress>, rejections: Int, last: NATSError?) = ([], 0, nil)
        /// The credentials and certificates, once their files have been read. They are read again for each attempt.
        var keys: ClientKeys?
        /// Reads files.
        let pool = WorkerPool(name: "nats", maximumThreads: 1)
        /// A timer that keeps `runUntilIdle` of the loop running while files are read.
        var stay: (any Disposable)?
        /// Abandons the client with its loop.
        var loopEnd: ScopedDisposable?
        var isConnecting = false
        /// The number of attempts since the connection broke, and the timer of the next attempt.
        var attempts = 0
        var nextAttempt: (any Disposable)?
        var end: NATSError?
        /// Ends the wait for the last confirmation of a client that closes.
        var closingLimit: (any Disposable)?
        var hasClosed = false

        var line: ControlLine

        // Receiving
        var feeds: [NATSFeed] = []
        /// The feeds that are subscribed on the connection, by number.
        var subscribed: [Int: NATSFeed] = [:]
        var lastNumber = 0
        let inbox = RequestInbox()

        // Publishing
        /// The messages that wait for a connection.
        var waiting = FIFO<(message: NATSMessage, ticket: PublishTicket?)>()
        var waitingCost = 0
        /// The number of waiting messages that have been withdrawn. They have no cost.
        var withdrawnCount = 0
        var confirmations = Confirmations()
        var confirmingTimer: (any Disposable)?
        var isConfirming = false
        /// The number of requests for a confirmation so far, and the callbacks that wait for the answer to one of them.
        var round = 0
        var flushes: [Int: (round: Int, completion: @Sendable (NATSError?) -> Void)] = [:]
        /// The number of calls of `flush`.
        var flushCount = 0
        var sources = WrittenSources<NATSError>()

        init(_ loop: any LoopScheduler, _ servers: [String], _ resolver: Resolver?, _ options: NATSOptions) {
            self.loop = loop
            self.servers = servers
            self.options = options
            self.resolver = resolver ?? .system
            line = ControlLine(limit: options.maximumControlLine)
        }

        var isOver: Bool { end != nil }

        /// Whether a server has accepted the client.
        var isUp: Bool { connection?.isUp ?? false }

        var name: String { options.name ?? addresses.map(\.shown).joined(separator: ", ") }
    }

    extension ClientCore: LoopBound {}
#endif
