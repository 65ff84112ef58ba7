// SPDX-License-Identifier: MIT
#if NATS
    public import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    /// A NATS client that reconnects. Subjects are signals, publishing has back-pressure, and requests can be commands.
    ///
    /// All events are delivered on the client's loop. Any thread may use every member. No call blocks the loop's thread. A
    /// thread reads the files of credentials and certificates.
    ///
    /// If the server disconnects, the client reconnects and restores its subscriptions. Messages that are published
    /// before it has reconnected are queued, up to a limit. The client closes after ``close()``, or when it has no
    /// references and no subscription, request or publication is under way. A ``publish(_:)`` whose result is ignored
    /// does not retain it. Subscribers of ``state`` and ``events`` do not retain it either. Disposing the loop closes
    /// the client immediately, without notifying subscribers.
    public final class NATSClient: Sendable {
        /// The loop that delivers all events.
        public let loop: any LoopScheduler
        /// The options that the client was created with.
        public let options: NATSOptions

        let core: UnsafeTransfer<ClientCore>

        /// Creates a client and starts to connect (``state``). Any thread may call it.
        ///
        /// - Parameters:
        ///   - servers: The servers' addresses, `nats://host:port` or `tls://…`. The client tries them in random order, and
        ///     uses the first one that accepts it. If one is `tls://…`, or the options contain ``NATSOptions/security``, all
        ///     connections use TLS.
        ///   - loop: The loop that delivers all events.
        ///   - resolver: Looks up the host names of the servers, also before each reconnect. `nil` means `Resolver.system`. A
        ///     look-up counts in the `connectTimeout` of the options.
        ///   - options: Credentials, TLS, timeouts and limits.
        public init(
            to servers: [String],
            on loop: any LoopScheduler,
            resolver: Resolver? = nil,
            options: NATSOptions = NATSOptions()
        ) {
            self.loop = loop
            self.options = options
            core = UnsafeTransfer(ClientCore(loop, servers, resolver, options))
            core.value.loopEnd = ScopedDisposable(core.value.abandonWithLoop())
            loop.runOrExecute { [core] in core.value.start() }
        }

        deinit {
            loop.execute { [core] in core.value.close() }
        }

        /// Creates a client for each subscription, and sends it when it is connected.
        ///
        /// The signal fails with `noServer`, `wrongCredentials`, `insecure`, `invalidAddress` or another reason if the
        /// client cannot connect. Disposing the subscription before that closes the client. The parameters are those of
        /// the initializer.
        public static func connect(
            to servers: [String],
            on loop: any LoopScheduler,
            resolver: Resolver? = nil,
            options: NATSOptions = NATSOptions()
        ) -> Signal<NATSClient, NATSError> {
            Signal { emitter, subscription in
                if let error = loop.refusal(as: NATSError.self) { return emitter.fail(error) }
                let client = NATSClient(to: servers, on: loop, resolver: resolver, options: options)
                client.end(subscription, withLoop: loop)
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

        // MARK: State

        /// The state of the connection. Any thread may read it. It changes on the loop. When the client closes,
        /// the state changes first. Then the signals of subscriptions and operations fail.
        public var state: ReadOnlyProperty<NATSState> { core.value.state.readOnly }

        /// Problems that do not close the client: lost, unconfirmed and refused messages. The signal completes when the
        /// client closes. On a disposed loop it completes immediately.
        public var events: Signal<NATSEvent, Never> {
            core.value.events.signal(unless: { [loop] in loop.isDisposed })
        }

        /// Counters of the client. Any thread may read them.
        public var statistics: NATSStatistics { core.value.statistics.withLock { $0 } }

        // MARK: Receiving

        /// The messages that are published to `subject` after the server has processed the subscription. In `room.*`,
        /// the wildcard matches exactly one token. In `room.>`, it matches one or more tokens.
        ///
        /// Each subscriber of the signal has its own subscription at the server, which is restored after a reconnect.
        /// Messages arrive in the order in which the server sends them. While the subscriber is paused (law 11,
        /// Docs/Laws.md), messages are queued up to `pending`. Beyond that, `policy` applies to this subscriber only.
        /// Dropped messages are counted in ``statistics`` and reported by ``events``.
        ///
        /// The signal never completes. It fails with:
        ///
        /// - `invalidSubject` or `subjectTooLong` if the subject cannot be used.
        /// - `invalidArgument` if the queue group is empty, or contains whitespace.
        /// - `slowSubscriber` if the policy is `fail`.
        /// - `closed`, or the reason, when the client closes.
        /// - `loop` if the loop has been disposed.
        ///
        /// - Parameters:
        ///   - subject: The subject, which may contain wildcards.
        ///   - queueGroup: The queue group. Each message is delivered to one subscriber of a group. `nil` means no
        ///     group.
        ///   - pending: The limits of the queue of a paused subscriber.
        ///   - policy: The policy for messages that exceed the limits.
        public func subscribe(
            _ subject: String,
            queueGroup: String? = nil,
            pending: NATSPendingLimits = NATSPendingLimits(),
            whenFull policy: SlowSubscriberPolicy = .dropNewest
        ) -> Signal<NATSMessage, NATSError> {
            Signal { [self] emitter, subscription in
                if let error = loop.refusal(as: NATSError.self) { return emitter.fail(error) }
                let subscriber = UnsafeTransfer(
                    MessageSubscriber(core.value, subject, pending, policy, emitter, subscription)
                )
                end(subscription, withLoop: loop)
                loop.runOrExecute { subscriber.value.start(queueGroup) }
                subscription.onFlowChange { [loop] isPaused in
                    if !isPaused { loop.runOrExecute { subscriber.value.deliver() } }
                }
                subscription.onDispose { [self] in
                    // The subscription retains the client.
                    loop.runOrExecute { withExtendedLifetime(self) { subscriber.value.stop() } }
                }
            }
        }

        /// Disposes `subscription`, which retains the client, when the loop is disposed.
        func end(_ subscription: SignalSubscription, withLoop loop: any LoopScheduler) {
            let end = loop.onDispose { subscription.dispose() }
            subscription.onDispose { end.dispose() }
        }

        // MARK: Closing

        /// Completes when the server has processed all earlier publications and subscriptions.
        ///
        /// Each subscription to this signal sends a new request to the server, as soon as a connection exists. The
        /// signal fails when the client closes.
        public func flush() -> Signal<Never, NATSError> {
            operation { [loop] core, emitter, subscription in
                if subscription.isDisposed { return }
                let number = core.flush { error in
                    if let error { emitter.fail(error) } else { emitter.complete() }
                }
                let core = UnsafeTransfer(core)
                guard let number else { return }
                subscription.onDispose { loop.runOrExecute { core.value.flushes[number] = nil } }
            }
        }

        /// Closes the client. Its subscribers fail with `closed`. Any thread may call it. Later calls do nothing.
        ///
        /// Messages that were published on the connection are still sent, for at most two seconds. Messages that wait for a
        /// connection are not sent: their results fail with `closed`.
        public func close() {
            loop.runOrExecute { [core] in core.value.close() }
        }

        // MARK: Operations

        /// Calls `begin` on the loop for each subscription, which retains the client.
        func operation<Value>(
            _ begin: @escaping @Sendable (ClientCore, Emitter<Value, NATSError>, SignalSubscription) -> Void
        ) -> Signal<Value, NATSError> {
            Signal { [self] emitter, subscription in
                if let error = loop.refusal(as: NATSError.self) { return emitter.fail(error) }
                subscription.onDispose { [self] in withExtendedLifetime(self) {} }
                loop.runOrExecute { [core] in begin(core.value, emitter, subscription) }
            }
        }

        /// Sends a request with `ask` for each subscription, and sends its result. A disposal forgets the request.
        ///
        /// - Parameter ask: Returns the name of the request, or `nil` if it has called the completion already.
        func reply<Value>(
            _ ask: @escaping @Sendable (ClientCore, @escaping (Result<Value, NATSError>) -> Void) -> String?
        ) -> Signal<Value, NATSError> {
            operation { [loop] core, emitter, subscription in
                if subscription.isDisposed { return }
                let name = ask(core) { result in emitter.receive(result) }
                let core = UnsafeTransfer(core)
                guard let name else { return }
                subscription.onDispose { loop.runOrExecute { core.value.inbox.forget(name, core.value) } }
            }
        }
    }
#else
    public import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets

    /// A connection to NATS. This build lacks the trait `NATS`, so every use is a compile-time error that names it.
    @available(
        *,
        unavailable,
        message: "NATSClient needs the trait NATS: .package(url: …, from: …, traits: [\"NATS\"])"
    )
    public final class NATSClient: Sendable {
        /// Creates nothing: it cannot be called.
        public init(
            to servers: [String],
            on loop: any LoopScheduler,
            resolver: Resolver? = nil,
            options: NATSOptions = NATSOptions()
        ) {}

        /// Connects to nothing: it cannot be called.
        public static func connect(
            to servers: [String],
            on loop: any LoopScheduler,
            resolver: Resolver? = nil,
            options: NATSOptions = NATSOptions()
        ) -> Signal<NATSClient, any Error> {
            .never
        }
    }

    /// The options of a client. This build lacks the trait `NATS`, so every use is a compile-time error that names it.
    @available(
        *,
        unavailable,
        message: "NATSOptions needs the trait NATS: .package(url: …, from: …, traits: [\"NATS\"])"
    )
    public struct NATSOptions: Sendable {
        /// Creates nothing: it cannot be called.
        public init() {}
    }
#endif
