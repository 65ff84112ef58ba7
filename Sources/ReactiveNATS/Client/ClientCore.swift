// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The state of a client. Every member except `deinit` is called on the loop, unless stated otherwise.
    ///
    /// The client calls nats.c only while the link (``NATSLink``) is up, because nats.c holds its lock while it
    /// connects. Until the link is up, publications and subscriptions are queued here.
    final class ClientCore {
        let loop: any LoopScheduler
        let servers: [String]
        let options: NATSOptions
        /// Looks up the names of servers. `nil` means that nats.c does.
        let resolver: Resolver?
        let pool = WorkerPool(name: "nats", maximumThreads: 3)
        let state = Property(NATSState.connecting)
        let events = Subject<NATSEvent, Never>(whilePaused: .dropOldest(1024))
        let statistics = Lock(NATSStatistics())

        // The connection
        var handle: NATSHandle?
        var link: NATSLink?
        var reports: Reports?
        var upGeneration = 0
        var watch: (any DescriptorWatch)?
        var watchedGeneration = 0
        /// The counted writes since the last byte of the server (`countUnansweredWrite`), and the time of the last one.
        var unanswered = (writes: 0, at: LoopInstant.distantPast)
        /// A server that leaves more writes unanswered is silent.
        static let mostUnanswered = 3
        /// A timer that keeps `runUntilIdle` of the loop running while there is no watch.
        var stay: (any Disposable)?
        /// Abandons the client with its loop.
        var loopEnd: ScopedDisposable?
        var isConnecting = false
        /// The look-up of a server's name.
        var lookUp: SignalSubscription?
        /// The number of attempts since the connection broke, and the timer of the next attempt.
        var attempts = 0
        var nextAttempt: (any Disposable)?
        var end: NATSError?

        var line: ControlLine

        // Receiving
        var feeds: [NATSFeed] = []
        var receivedCount: UInt64 = 0
        let inbox = RequestInbox()

        // Publishing
        /// The messages that wait for a connection.
        var waiting = FIFO<(message: NATSMessage, ticket: PublishTicket?)>()
        var waitingCost = 0
        var confirmations = Confirmations()
        var confirmingTimer: (any Disposable)?
        var isConfirming = false
        /// The number of requests for a confirmation so far, and the callbacks that wait for the answer to one of them.
        var round = 0
        var flushes: [(round: Int, completion: @Sendable (NATSError?) -> Void)] = []
        var sources = WrittenSources<NATSError>()

        init(_ loop: any LoopScheduler, _ servers: [String], _ resolver: Resolver?, _ options: NATSOptions) {
            self.loop = loop
            self.servers = servers
            var options = options
            // nats.c ignores the scheme of an address.
            if options.security == nil, servers.contains(where: { $0.lowercased().hasPrefix("tls://") }) {
                options.security = NATSSecurity()
            }
            self.options = options
            self.resolver = resolver
            line = ControlLine(limit: options.maximumControlLine)
        }

        var isOver: Bool { end != nil }

        /// Whether nats.c may be called now.
        var isUp: Bool { upGeneration != 0 && link?.liveGeneration == upGeneration }

        var name: String { options.name ?? servers.joined(separator: ", ") }
    }
#endif
