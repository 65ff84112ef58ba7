#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    /// The state of a client. It belongs to the loop: every member is called there, but for `deinit` and what says otherwise.
    ///
    /// nats.c is called while its link is up, and only then: while it connects it holds its lock, for as long as that takes.
    /// What is published and subscribed meanwhile waits here.
    final class ClientCore {
        let loop: any LoopScheduler
        let servers: [String]
        let options: NATSOptions
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
        /// Keeps the loop in `runUntilIdle` while there is no descriptor that does.
        var stay: (any Disposable)?
        var isConnecting = false
        /// Attempts to connect again since there was a connection, and when the next one is.
        var attempts = 0
        var nextAttempt: (any Disposable)?
        var end: NATSError?

        var line: ControlLine

        // Receiving
        var feeds: [NATSFeed] = []
        var receivedCount: UInt64 = 0
        let inbox = Inbox()
        /// Whom to tell that there is a connection again.
        var upListeners: [ObjectIdentifier: () -> Void] = [:]

        // Publishing
        var waiting = FIFO<Waiting>()
        var waitingCost = 0
        var confirmations = Confirmations()
        var confirmingTimer: (any Disposable)?
        var isConfirming = false
        /// Rounds of confirming that have begun, and who waits for the end of which.
        var round = 0
        var flushes: [(round: Int, tell: @Sendable (NATSError?) -> Void)] = []
        var heldSources: [any Disposable] = []
        var sources = WrittenSources<NATSError>()

        /// A message that there has been no connection for.
        struct Waiting {
            let message: NATSMessage
            let ticket: PublishTicket?
        }

        init(_ loop: any LoopScheduler, _ servers: [String], _ options: NATSOptions) {
            self.loop = loop
            self.servers = servers
            self.options = options
            line = ControlLine(limit: options.maximumControlLine)
        }

        var isOver: Bool { end != nil }

        /// Whether nats.c may be called now.
        var isUp: Bool { upGeneration != 0 && link?.liveGeneration == upGeneration }

        var name: String { options.name ?? servers.joined(separator: ", ") }
    }
#endif
