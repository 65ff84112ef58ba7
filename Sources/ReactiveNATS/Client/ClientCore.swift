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
        private var link: NATSLink?
        private var reports: Reports?
        private var upGeneration = 0
        private var watch: (any DescriptorWatch)?
        private var watchedGeneration = 0
        /// Keeps the loop in `runUntilIdle` while there is no descriptor that does.
        private var stay: (any Disposable)?
        private var isConnecting = false
        /// Attempts to connect again since there was a connection, and when the next one is.
        private var attempts = 0
        private var nextAttempt: (any Disposable)?
        private(set) var end: NATSError?

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
        /// By their ends, which they hold: a source may go without having ended, and the next writer have the writer's address.
        var writers: [ObjectIdentifier: @Sendable (NATSError) -> Void] = [:]

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

        // MARK: Connecting

        func connect() {
            if isOver { return }
            isConnecting = true
            stayAlive()
            let core = Confined(self)
            let loop = loop
            let weakCore = Confined(Weak(self))
            let reports = Reports()
            let link = NATSLink(
                changed: { loop.runOrExecute { weakCore.value.object?.updateWatch() } },
                report: { report in
                    guard reports.add(report) else { return }
                    loop.execute { weakCore.value.object?.look(at: reports) }
                }
            )
            self.reports = reports
            self.link = link
            let (servers, options, pool) = (servers, options, pool)
            pool.execute {
                let result = Result { () throws(NATSError) in try NATSHandle.connect(to: servers, options, link, pool) }
                loop.execute { core.value.didConnect(result) }
            }
        }

        private func didConnect(_ result: Result<NATSHandle, NATSError>) {
            isConnecting = false
            switch result {
            case .success(let handle):
                self.handle = handle
                if isOver { return release() }
                becomeUp()
                if upGeneration != 0 || isOver { return }
                // It has gone already, and what was said of that was said too early.
                letGoOfConnection()
                didFail(NATSError(.noServer, "the connection to \(name) was closed at once"))
            case .failure(let error):
                if isOver { release() } else { didFail(error) }
            }
        }

        /// At first a failure is the end; later it is when nobody is to try any more, or the server does not want this client.
        private func didFail(_ error: NATSError) {
            let isRefused = error.code == .wrongCredentials || error.code == .insecure
            if state.value == .connecting || isRefused { return finish(error, .closed(error)) }
            connectAgain(error)
        }

        private func connectAgain(_ reason: NATSError) {
            if let most = options.maximumReconnects, attempts >= most { return finish(reason, .closed(reason)) }
            attempts += 1
            let jitter = Int64.random(in: 0...max(0, options.reconnectJitter.saturatedNanoseconds))
            let core = Confined(Weak(self))
            nextAttempt = loop.schedule(after: options.reconnectWait + .nanoseconds(jitter)) {
                core.value.object?.nextAttempt = nil
                core.value.object?.connect()
            }
        }

        private func look(at reports: Reports) {
            // Of a connection that has been let go of, nothing is to be heard any more.
            guard reports === self.reports else { return }
            let (all, missed) = reports.takeAll()
            for report in all {
                switch report {
                case .down: becomeDown()
                case .closed(let reason):
                    if let reason { line.learn(from: reason) }
                    becomeDown()
                    if isOver || isConnecting || nextAttempt != nil { break }
                    letGoOfConnection()
                    connectAgain(reason ?? NATSError(.noServer, "the connection to \(name) has been closed"))
                case .error(let error):
                    line.learn(from: error)
                    events.send(.reported(error))
                }
            }
            if missed > 0 { events.send(.missed(missed)) }
        }

        private func becomeUp() {
            guard !isOver, handle != nil, let link else { return }
            // It may be down again by now: then this is told, and comes next.
            upGeneration = link.liveGeneration
            guard upGeneration != 0 else { return }
            if state.value == .reconnecting { statistics.withLock { $0.reconnects += 1 } }
            attempts = 0
            line.reset()
            updateWatch()
            stay?.dispose()
            stay = nil
            for feed in feeds where feed.native == nil { subscribe(feed) }
            publishWaiting()
            state.value = .connected
            inbox.linkIsUp(self)
            for listener in upListeners.values { listener() }
            confirm()
        }

        private func becomeDown() {
            guard !isOver, state.value == .connected else { return }
            upGeneration = 0
            updateWatch()
            stayAlive()
            for feed in feeds { feed.native = nil }
            receivedCount = 0
            let (count, tell) = confirmations.lose()
            state.value = .reconnecting
            if count > 0 {
                statistics.withLock { $0.unconfirmed += count }
                events.send(.unconfirmed(count))
            }
            for tell in tell { tell() }
            inbox.linkIsDown()
        }

        /// The old connection is destroyed on the pool; what it says from here on nobody hears.
        private func letGoOfConnection() {
            watch?.dispose()
            watch = nil
            watchedGeneration = 0
            link?.closeRetired()
            link = nil
            handle = nil
        }

        private func stayAlive() {
            if stay == nil { stay = loop.schedule(after: .seconds(365 * 86_400)) {} }
        }

        // MARK: Being watched

        /// Watches what the link wants watched. It calls no member of nats.c's.
        private func updateWatch() {
            guard let link else { return }
            let wanted = link.wanted
            if wanted.generation != watchedGeneration {
                watch?.dispose()
                watch = nil
                watchedGeneration = 0
            }
            if watchedGeneration == 0 { link.closeRetired() }
            // What nats.c has opened and not yet made a connection of is its own.
            guard wanted.generation != 0, wanted.generation == upGeneration else { return }
            do {
                if let watch {
                    if watch.interest != wanted.interest { try watch.setInterest(wanted.interest) }
                } else {
                    let anchor = CoreAnchor(self)
                    watch = try loop.watch(wanted.descriptor, for: wanted.interest) { ready in anchor.core.ready(ready)
                    }
                    watchedGeneration = wanted.generation
                }
            } catch {
                let error = NATSError(.loop, "the connection to \(name): \(error)")
                loop.execute { [core = Confined(self)] in core.value.finish(error, .closed(error)) }
            }
        }

        private func ready(_ readiness: Readiness) {
            guard let handle, isUp else { return }
            if readiness.contains(.write) {
                handle.processWrite()
                letSourcesGoOn()
            }
            if readiness.contains(.read), isUp {
                handle.processRead()
                receiveAll(handle)
            }
        }

        // MARK: Ending

        /// Ends it from this side: what was published goes out first.
        func close() {
            if isOver { return }
            let error = NATSError(.closed, "the client of \(name) has been closed")
            finish(error, .closed(nil))
        }

        /// Everybody is told after everything has been put in order: they may call anything.
        private func finish(_ error: NATSError, _ last: NATSState) {
            if isOver { return }
            end = error
            let place = confirmations.given
            let (feeds, unsent, writers, held) = (feeds, waiting.takeAll(), writers, heldSources)
            self.feeds = []
            self.writers = [:]
            upListeners = [:]
            heldSources = []
            waitingCost = 0
            confirmingTimer?.dispose()
            nextAttempt?.dispose()
            nextAttempt = nil
            let wasUp = isUp
            state.value = last
            for feed in feeds { feed.onEnd(error) }
            inbox.end(error)
            for waiting in unsent { settle(waiting.ticket, .refused(error)) }
            for tell in writers.values { tell(error) }
            for hold in held { hold.dispose() }
            guard let handle else { return didClose(nil) }
            let core = Confined(self)
            let loop = loop
            pool.execute {
                let isFlushed = wasUp && handle.flush(.seconds(2))
                handle.close()
                loop.execute { core.value.didClose(isFlushed ? place : nil) }
            }
        }

        private func didClose(_ confirmed: Int?) {
            if let confirmed {
                let (count, tell) = confirmations.confirm(upTo: confirmed)
                statistics.withLock { $0.confirmed += count }
                for tell in tell { tell() }
            }
            let (count, tell) = confirmations.lose()
            statistics.withLock { $0.unconfirmed += count }
            if count > 0 { events.send(.unconfirmed(count)) }
            for tell in tell { tell() }
            let flushes = flushes
            self.flushes = []
            for flush in flushes { flush.tell(end) }
            events.complete()
            // The one who connects is heard of yet, and lets go then.
            if !isConnecting { release() }
        }

        private func release() {
            upGeneration = 0
            watch?.dispose()
            watch = nil
            watchedGeneration = 0
            stay?.dispose()
            stay = nil
            link?.closeRetired()
            handle = nil
        }

        /// The loop is over and has let go of the watch: nobody is told, there is no loop left to tell it on.
        fileprivate func abandon() {
            feeds = []
            upGeneration = 0
            handle = nil
        }
    }

    /// What the watch's closure holds the client by: it notices when the loop lets go of the watch because the loop is over.
    private final class CoreAnchor: Sendable {
        private let confined: Confined<ClientCore>

        init(_ core: ClientCore) { confined = Confined(core) }

        var core: ClientCore { confined.value }

        deinit {
            if core.loop.isDisposed { core.abandon() }
        }
    }
#endif
