#if NATS
    public import ReactiveCore
    public import ReactiveSignals
    import ReactiveSupport

    /// A connection to NATS that lasts: subjects as signals, publishing with flow control, requests as commands.
    ///
    /// Everything is delivered on the client's loop; every member may be used from any thread. nats.c does the protocol, on the
    /// loop's own readiness; nothing here waits on the loop's thread. When the server goes, the client looks for one again, and
    /// what is subscribed stays so; what is published meanwhile waits, up to a limit. The client ends with ``close()``, and
    /// when nobody refers to it or subscribes to one of its signals. With its loop it ends at once, and nobody is told.
    public final class NATSClient: Sendable {
        /// The loop that everything is delivered on.
        public let loop: any LoopScheduler
        /// How it connects.
        public let options: NATSOptions

        let core: UnsafeTransfer<ClientCore>

        /// Makes a client that begins to connect at once; see ``state``. Any thread.
        ///
        /// - Parameters:
        ///   - servers: where servers are, `nats://host:port` or `tls://…`; the first that answers is taken.
        ///   - loop: where everything is delivered.
        ///   - options: credentials, TLS, waiting times, limits.
        public init(to servers: [String], on loop: any LoopScheduler, options: NATSOptions = NATSOptions()) {
            self.loop = loop
            self.options = options
            core = UnsafeTransfer(ClientCore(loop, servers, options))
            loop.runOrExecute { [core] in core.value.connect() }
        }

        deinit {
            loop.execute { [core] in core.value.close() }
        }

        /// Makes a client for each subscription and sends it when it is connected, or fails with the reason why it is not:
        /// `noServer`, `wrongCredentials`, `insecure`, `invalidAddress`. Disposed before, it is closed.
        public static func connect(
            to servers: [String],
            on loop: any LoopScheduler,
            options: NATSOptions = NATSOptions()
        ) -> Signal<NATSClient, NATSError> {
            Signal { emitter, subscription in
                if let over = loop.overError { return emitter.fail(over) }
                let client = NATSClient(to: servers, on: loop, options: options)
                client.state.signal.subscribe(
                    in: subscription,
                    onValue: { [client] state in
                        switch state {
                        case .connecting, .reconnecting: break
                        case .connected:
                            emitter.send(client)
                            emitter.complete()
                        case .closed(let error):
                            emitter.fail(error ?? NATSError(.closed, "the client has been closed"))
                        }
                    }
                )
            }
        }

        // MARK: What it is doing

        /// How it is connected. It changes on the loop, before anybody is told what follows from it; read it anywhere.
        public var state: ReadOnlyProperty<NATSState> { core.value.state.readOnly }

        /// What it reports that ends nothing: messages that are lost or may be, refusals of the server. It completes with the
        /// client.
        public var events: Signal<NATSEvent, Never> { core.value.events.signal }

        /// What has gone through it. Any thread may ask.
        public var statistics: NATSStatistics { core.value.statistics.withLock { $0 } }

        // MARK: Receiving

        /// What is published to `subject`, from when the server knows of it: `room.*` takes any name in that place, `room.>` any
        /// number of parts.
        ///
        /// Each subscription of the signal is one at the server. Messages come in the order in which the server sends them, and
        /// stay subscribed when it is another server. While the subscription is paused (law 11) they wait, up to `pending`; then
        /// `policy` says what happens: it costs nobody but this subscriber. What is lost is counted in ``statistics`` and
        /// reported by ``events``. It fails with `invalidSubject`, with `slowSubscriber` where the policy says so, and when the
        /// client ends: with the reason, or `closed`. It never completes.
        ///
        /// - Parameters:
        ///   - subject: what to listen to.
        ///   - queueGroup: of all subscribers with the same group, each message goes to one.
        ///   - pending: how much waits for a paused subscriber.
        ///   - policy: what becomes of what comes then.
        public func subscribe(
            _ subject: String,
            queueGroup: String? = nil,
            pending: NATSPendingLimits = NATSPendingLimits(),
            whenFull policy: SlowSubscriberPolicy = .dropNewest
        ) -> Signal<NATSMessage, NATSError> {
            Signal { [self] emitter, subscription in
                if let over = loop.overError { return emitter.fail(over) }
                let isPaused = ToldPause()
                let core = core.value
                let subscriber = UnsafeTransfer(
                    Subscriber(core, subject, pending, policy, emitter, subscription, isPaused)
                )
                loop.runOrExecute { subscriber.value.start(queueGroup) }
                isPaused.follow(subscription) { [loop] in loop.runOrExecute { subscriber.value.deliver() } }
                subscription.onDispose { [self] in
                    // Who subscribes keeps the client.
                    loop.runOrExecute { withExtendedLifetime(self) { subscriber.value.stop() } }
                }
            }
        }

        // MARK: Ending

        /// Completes when the server has processed everything given before: messages that were published, subscriptions that
        /// were made. It asks anew for each subscription, waits while there is no connection, and fails with the client's end.
        public func flush() -> Signal<Never, NATSError> {
            Signal { [self] emitter, _ in
                if let over = loop.overError { return emitter.fail(over) }
                loop.runOrExecute { [core] in
                    core.value.flush { error in
                        if let error { emitter.fail(error) } else { emitter.complete() }
                    }
                }
            }
        }

        /// Ends the client: what subscribes to it fails with `closed`. Twice is once. What was published before goes out first,
        /// for two seconds at most.
        public func close() {
            loop.runOrExecute { [core] in core.value.close() }
        }
    }
#endif
